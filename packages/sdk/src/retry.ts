import type { Outcome } from './exchange.ts';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** The longest wait that the client accepts. Beyond it, the caller decides, with `retryAfterSeconds`. */
export const MAX_RETRY_AFTER_SECONDS = 60;

/** The server still processes the first request with this Idempotency-Key, whose answer was lost. */
const STILL_BEING_SERVED = 100011;

export type Attempt = { outcome: Outcome; repeatable: boolean; retries: number; random: () => number };

/**
 * How long to wait before the same request may be sent again, or undefined if it may not be. A request whose effect is
 * unknown is repeated only if a second one does no harm. A request that the server certainly did not process is always
 * repeated.
 */
export function retryDelayMs({ outcome, repeatable, retries, random }: Attempt): number | undefined {
  const backoff = random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries);
  if ('fault' in outcome) return repeatable || outcome.fault === 'unsent' ? backoff : undefined;
  const { status, retryAfterSeconds, problem } = outcome;
  if (retryAfterSeconds !== undefined && (status === 429 || status === 503)) {
    // The jitter is added to the wait, so that clients which were refused together do not return together.
    return retryAfterSeconds <= MAX_RETRY_AFTER_SECONDS ? retryAfterSeconds * 1000 + backoff : undefined;
  }
  if (!repeatable) return undefined;
  const passing = status === 429 || (status >= 502 && status <= 504) || problem?.code === STILL_BEING_SERVED;
  return passing ? backoff : undefined;
}
