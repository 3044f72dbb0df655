import { boundedMap } from './bounded-map.ts';

const AGAIN_AFTER_MS = 10_000;
const MAX_REASONS = 50;

/**
 * Keeps an outage from filling the log: many requests fail at once for one reason, which is logged once in ten seconds.
 * Returns how often it occurred since it was last logged, or undefined if it is not to be logged now.
 */
export function openSharedReasons(now = () => performance.now()): (reason: string) => number | undefined {
  const reasons = boundedMap<string, { loggedAt: number; count: number }>(MAX_REASONS);
  return (reason) => {
    const { loggedAt, count } = reasons.get(reason) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 };
    const at = now();
    // A clock may be set back.
    const isDue = Math.abs(at - loggedAt) >= AGAIN_AFTER_MS;
    reasons.set(reason, isDue ? { loggedAt: at, count: 0 } : { loggedAt, count: count + 1 });
    return isDue ? count + 1 : undefined;
  };
}
