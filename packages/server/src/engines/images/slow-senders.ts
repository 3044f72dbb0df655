import { boundedMap } from '../../kernel/bounded-map.ts';
import type { Share } from '../../kernel/fair-queue.ts';

/** Senders whose files took long. They are remembered for a while, and have less time for their next file. */
export type SlowSenders = {
  has(share: Share): boolean;
  /** Halved with each file of the sender that ran into the limit. */
  limitOf(share: Share, timeoutMs: number): number;
  add(share: Share, ranIntoLimit: boolean): void;
};

const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;
/** Enough for a file that is not meant to be slow. */
const MIN_TIMEOUT_MS = 1000;

export function slowSenders(now = () => performance.now()): SlowSenders {
  const senders = boundedMap<string, { until: number; timeouts: number }>(MAX_REMEMBERED);
  const timeoutsOf = (share: Share) => {
    const entry = senders.get(senderOf(share));
    return entry && entry.until > now() ? entry.timeouts : undefined;
  };
  return {
    has: (share) => timeoutsOf(share) !== undefined,
    limitOf: (share, timeoutMs) =>
      Math.max(timeoutMs / 2 ** (timeoutsOf(share) ?? 0), Math.min(timeoutMs, MIN_TIMEOUT_MS)),
    add(share, ranIntoLimit) {
      const timeouts = (timeoutsOf(share) ?? 0) + Number(ranIntoLimit);
      senders.set(senderOf(share), { until: now() + REMEMBERED_MS, timeouts });
    },
  };
}

export const senderOf = ({ tenant, sender }: Share) => `${tenant} ${sender}`;
