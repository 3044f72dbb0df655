import { boundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';

/**
 * Ensures that a caller makes no more requests than its limit in a window (a leaky bucket). Each request adds to the
 * caller's debt, and time reduces it; a refused request adds nothing. The debt is counted in requests, because sums of
 * epoch milliseconds lose the last request of a high limit to rounding.
 */
export type RateLimiter = {
  /** Counts a request, or something else of which a caller may use up to the limit, and says how much remains or how long to wait. */
  take(caller: string, amount?: number): { allowed: boolean; remaining: number; retryAfterSeconds: number };
  readonly limit: number;
  readonly windowSeconds: number;
};

const MAX_CALLERS = 100_000;
const ROUNDING = 1e-6;

export function rateLimiter(options: { limit: number; windowSeconds: number; clock: Clock }): RateLimiter {
  const { limit, windowSeconds, clock } = options;
  const interval = (windowSeconds * 1000) / limit;
  const debts = boundedMap<string, { at: number; owed: number }>(MAX_CALLERS);
  return {
    limit,
    windowSeconds,
    take(caller, amount = 1) {
      const now = clock.now();
      let debt = debts.get(caller);
      if (!debt) {
        debt = { at: now, owed: 0 };
        debts.set(caller, debt);
      }
      // When the clock is set back, the debt stays, and time counts from the new hour: nobody is locked out until the old one.
      debt.owed = Math.max(0, debt.owed - Math.max(0, now - debt.at) / interval);
      debt.at = now;
      const excess = debt.owed + amount - limit;
      if (excess > ROUNDING) {
        return { allowed: false, remaining: 0, retryAfterSeconds: Math.max(1, Math.ceil((excess * interval) / 1000)) };
      }
      debt.owed += amount;
      return { allowed: true, remaining: Math.max(0, Math.floor(ROUNDING - excess)), retryAfterSeconds: 0 };
    },
  };
}
