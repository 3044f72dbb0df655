/** From when on it is said that the time of a step runs out. */
export const WARN_MS = 3 * 60_000;

/** Never fewer than one: who has half a minute is not told that there is none. */
export function minutesLeft(ms: number): number {
  return Math.max(1, Math.floor(ms / 60_000));
}
