import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';

/** Retries for most of a day, because a promised erasure must survive an outage of the blob store. */
export const UNTIL_ERASED = {
  maxAttempts: 20,
  backoff: { firstMs: 5 * SECOND, mostMs: HOUR },
  timeoutMs: 10 * MINUTE,
} as const;
