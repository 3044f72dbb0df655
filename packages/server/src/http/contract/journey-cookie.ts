/** The cookie of one journey. Its name contains the instance, so that two journeys in one browser do not collide. */

/** With https the prefix `__Host-` binds the cookie to this host: a sibling domain cannot set it. */
export function journeyCookieName(scheme: 'http' | 'https', instanceId: string): string {
  return `${scheme === 'https' ? '__Host-' : ''}grove-journey-${instanceId}`;
}
