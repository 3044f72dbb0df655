import { boundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';

/** Knows which providers are down, so that nobody waits for one that is. */
export type Breaker = {
  mayTry(place: string): boolean;
  note(place: string, down: boolean): void;
};

export const FAILURES_UNTIL_OPEN = 5;
export const OPEN_MS = 15 * SECOND;
const MAX_PLACES = 1000;

export function openBreaker(clock: Clock): Breaker {
  const places = boundedMap<string, { failures: number; tryAt: number }>(MAX_PLACES);
  return {
    mayTry(place) {
      const known = places.get(place);
      if (!known || known.failures < FAILURES_UNTIL_OPEN) return true;
      const now = clock.now();
      if (now < known.tryAt) return false;
      // One goes ahead; the others wait for what becomes of it.
      places.set(place, { ...known, tryAt: now + OPEN_MS });
      return true;
    },
    note(place, down) {
      if (!down) {
        places.delete(place);
        return;
      }
      const failures = (places.get(place)?.failures ?? 0) + 1;
      places.set(place, { failures, tryAt: clock.now() + OPEN_MS });
    },
  };
}
