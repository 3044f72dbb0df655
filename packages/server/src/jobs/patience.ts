import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';

/** Whoever was promised that something is erased is not let down by a store that is away: it is tried for most of a day. */
export const UNTIL_ERASED = {
  maxAttempts: 20,
  backoff: { firstMs: 5 * SECOND, mostMs: HOUR },
  timeoutMs: 10 * MINUTE,
} as const;
