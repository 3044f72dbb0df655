/** Time comes from the context, so that tests own it. Milliseconds since 1970, UTC. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** ISO 8601, UTC, milliseconds, `Z`. */
export function toDtm(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The moment a validated RFC 3339 date-time names. */
export function fromDtm(dtm: string): number {
  return Date.parse(dtm);
}
