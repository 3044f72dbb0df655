/** Schemes that would run something in our own page in place of leading away from it. */
const STAYS: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);

/** The server compares addresses with the list of the tenant; this is the second look. Pure. */
export function leadsAway(address: string): boolean {
  try {
    return !STAYS.has(new URL(address).protocol);
  } catch {
    return false;
  }
}
