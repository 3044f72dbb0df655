import { boundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';

/**
 * A leaky bucket: what a caller took and has not yet paid for by waiting. It may run ahead by its limit, and is refused
 * without paying when it would run further. The debt is counted in requests, because sums of epoch milliseconds lose the
 * last request of a high limit to rounding.
 */
export type RateLimiter = {
  /** What is left, or how long to wait. */
  take(caller: string): { allowed: boolean; remaining: number; retryAfterSeconds: number };
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
    take(caller) {
      const now = clock.now();
      let debt = debts.get(caller);
      if (!debt) {
        debt = { at: now, owed: 0 };
        debts.set(caller, debt);
      }
      // A clock that was set back pays for nothing; time counts from its new hour, so nobody is locked out until the old.
      debt.owed = Math.max(0, debt.owed - Math.max(0, now - debt.at) / interval);
      debt.at = now;
      const excess = debt.owed + 1 - limit;
      if (excess > ROUNDING) {
        return { allowed: false, remaining: 0, retryAfterSeconds: Math.max(1, Math.ceil((excess * interval) / 1000)) };
      }
      debt.owed += 1;
      return { allowed: true, remaining: Math.max(0, Math.floor(ROUNDING - excess)), retryAfterSeconds: 0 };
    },
  };
}
