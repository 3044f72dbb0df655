import type { Backoff } from './define-job.ts';

/**
 * Exponential, with full jitter: jobs that failed together because something was down do not come back together.
 * `random` is from 0 to 1.
 */
export function retryDelayMs({ firstMs, mostMs }: Backoff, failedAttempts: number, random: number): number {
  const longest = Math.min(mostMs, firstMs * 2 ** (failedAttempts - 1));
  // Never at once: what has just failed is still down.
  return Math.max(1, Math.round(longest * random));
}
