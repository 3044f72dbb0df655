import { boundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';

/** Remembers which providers are down, so that nobody waits for them. */
export type Breaker = {
  mayTry(provider: string): boolean;
  note(provider: string, down: boolean): void;
};

export const FAILURES_UNTIL_OPEN = 5;
export const OPEN_MS = 15 * SECOND;
const MAX_PLACES = 1000;

export function openBreaker(clock: Clock): Breaker {
  const places = boundedMap<string, { failures: number; tryAt: number }>(MAX_PLACES);
  return {
    mayTry(provider) {
      const state = places.get(provider);
      if (!state || state.failures < FAILURES_UNTIL_OPEN) return true;
      const now = clock.now();
      if (now < state.tryAt) return false;
      // One message tries the provider; the others wait for its result.
      places.set(provider, { ...state, tryAt: now + OPEN_MS });
      return true;
    },
    note(provider, down) {
      if (!down) {
        places.delete(provider);
        return;
      }
      const failures = (places.get(provider)?.failures ?? 0) + 1;
      places.set(provider, { failures, tryAt: clock.now() + OPEN_MS });
    },
  };
}
