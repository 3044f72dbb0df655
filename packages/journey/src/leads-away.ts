/** Schemes that would run something in our own page instead of leaving it. */
const STAYS: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);

/**
 * Ensures that an address leaves this page, as a second check: the server has compared it with the tenant's list. Pure.
 */
export function leadsAway(address: string): boolean {
  try {
    return !STAYS.has(new URL(address).protocol);
  } catch {
    return false;
  }
}
