/** The remaining time of a step at which the page warns. */
export const WARN_MS = 3 * 60_000;

/** At least one minute: with half a minute left, "0 minutes" would be wrong. */
export function minutesLeft(ms: number): number {
  return Math.max(1, Math.floor(ms / 60_000));
}
