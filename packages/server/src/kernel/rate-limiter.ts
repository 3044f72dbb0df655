import { boundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';

/**
 * The generic cell rate algorithm: one number for each caller, the moment at which it will have paid for all it took.
 * A caller may run ahead by a burst, and is refused without paying when it would run further.
 */
export type RateLimiter = {
  /** What is left, or how long to wait. */
  take(caller: string): { allowed: boolean; remaining: number; retryAfterSeconds: number };
  readonly limit: number;
  readonly windowSeconds: number;
};

const MAX_CALLERS = 100_000;

export function rateLimiter(options: { limit: number; windowSeconds: number; clock: Clock }): RateLimiter {
  const { limit, windowSeconds, clock } = options;
  const interval = (windowSeconds * 1000) / limit;
  const burst = windowSeconds * 1000;
  const paidUntil = boundedMap<string, number>(MAX_CALLERS);
  return {
    limit,
    windowSeconds,
    take(caller) {
      const now = clock.now();
      // A clock that was set back must not lock anybody out for longer than a window.
      const until = Math.min(Math.max(paidUntil.get(caller) ?? now, now), now + burst);
      const next = until + interval;
      if (next - now > burst + 0.001) {
        return { allowed: false, remaining: 0, retryAfterSeconds: Math.max(1, Math.ceil((next - now - burst) / 1000)) };
      }
      paidUntil.set(caller, next);
      return { allowed: true, remaining: Math.floor((burst - (next - now)) / interval), retryAfterSeconds: 0 };
    },
  };
}
