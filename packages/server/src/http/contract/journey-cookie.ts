/** The cookie of one journey. Its name holds the instance, so that two journeys in one browser do not meet. */

/** With https the `__Host-` name binds it to this host: a sibling domain cannot set it. */
export function journeyCookieName(scheme: 'http' | 'https', instanceId: string): string {
  return `${scheme === 'https' ? '__Host-' : ''}grove-journey-${instanceId}`;
}
