/** The cookie of one journey. Its name holds the instance, so that two journeys in one browser do not meet. */

/** With https the name binds it to this very host, whatever a neighbour below the same domain may set. */
export function journeyCookieName(scheme: 'http' | 'https', instanceId: string): string {
  return `${scheme === 'https' ? '__Host-' : ''}grove-journey-${instanceId}`;
}
