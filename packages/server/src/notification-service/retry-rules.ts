import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';

/** The rules for retries, as pure functions. */

/** The waits after the first attempt, which is made at once. */
export const DEFAULT_RETRY_INTERVALS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 24 * HOUR;

type Failure = {
  intervals: readonly number[];
  /** Attempts before this one. */
  attemptsBefore: number;
  retryAfter: string | undefined;
  now: number;
  random(): number;
};

/** The moment of the next attempt; undefined after the last one. Jitter spreads deliveries that failed together. */
export function nextAttemptAt({ intervals, attemptsBefore, retryAfter, now, random }: Failure): number | undefined {
  const interval = intervals[attemptsBefore];
  if (interval === undefined) return undefined;
  const jittered = interval * (1 - JITTER + 2 * JITTER * random());
  return now + Math.round(Math.max(jittered, retryAfterMs(retryAfter, now)));
}

/** RFC 9110, 10.2.3: seconds, or a date. A value that cannot be parsed is ignored. */
export function retryAfterMs(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  const waitMs = /^\d{1,10}$/.test(retryAfter.trim()) ? Number(retryAfter) * SECOND : Date.parse(retryAfter) - now;
  return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

/** Failures in a row after which an endpoint gets no requests for a while. */
export const FAILURES_THAT_CLOSE = 5;
const FIRST_CLOSED_MS = 30 * SECOND;
export const LONGEST_CLOSED_MS = 5 * MINUTE;

/** The time for which an endpoint gets no requests after so many failures in a row. */
export function closedForMs(failures: number): number {
  if (failures < FAILURES_THAT_CLOSE) return 0;
  return Math.min(FIRST_CLOSED_MS * 2 ** Math.min(failures - FAILURES_THAT_CLOSE, 10), LONGEST_CLOSED_MS);
}
