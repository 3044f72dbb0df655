import { boundedMap } from '../../kernel/bounded-map.ts';
import type { Share } from '../../kernel/fair-queue.ts';

/** Remembers senders whose files took long, for a while. They have less time for their next file. */
export type SlowSenders = {
  has(share: Share): boolean;
  /**
   * The limit is halve with each file of the sender that reached it, and for everybody of a tenant with many such
   * senders.
   */
  limitOf(share: Share, timeoutMs: number): number;
  add(share: Share, ranIntoLimit: boolean): void;
};

const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;
/** Enough for a file that is not meant to be slow. */
const MIN_TIMEOUT_MS = 1000;
/**
 * Whoever has a link can be many senders, so more slow senders than this lower the limit of all senders of their
 * tenant.
 */
const FREE_SENDERS_OF_TENANT = 3;
/** An honest page of such a tenant still has several times the time that it needs. */
const MIN_TIMEOUT_OF_TENANT_MS = 2500;

export function slowSenders(now = () => performance.now()): SlowSenders {
  const senders = boundedMap<string, { until: number; timeouts: number }>(MAX_REMEMBERED);
  const tenants = boundedMap<string, { until: number; timeouts: number }>(MAX_REMEMBERED);
  const timeoutsIn = (entries: typeof senders, key: string) => {
    const entry = entries.get(key);
    return entry && entry.until > now() ? entry.timeouts : undefined;
  };
  const note = (entries: typeof senders, key: string, ranIntoLimit: boolean) => {
    const timeouts = (timeoutsIn(entries, key) ?? 0) + Number(ranIntoLimit);
    entries.set(key, { until: now() + REMEMBERED_MS, timeouts });
  };
  return {
    has: (share) => timeoutsIn(senders, senderOf(share)) !== undefined,
    limitOf(share, timeoutMs) {
      const own = timeoutsIn(senders, senderOf(share)) ?? 0;
      const ofTenant = Math.max(0, (timeoutsIn(tenants, share.tenant) ?? 0) - FREE_SENDERS_OF_TENANT);
      return Math.min(halve(timeoutMs, own, MIN_TIMEOUT_MS), halve(timeoutMs, ofTenant, MIN_TIMEOUT_OF_TENANT_MS));
    },
    add(share, ranIntoLimit) {
      const isFirst = ranIntoLimit && !timeoutsIn(senders, senderOf(share));
      note(senders, senderOf(share), ranIntoLimit);
      if (isFirst) note(tenants, share.tenant, true);
    },
  };
}

function halve(timeoutMs: number, times: number, leastMs: number): number {
  return Math.max(timeoutMs / 2 ** times, Math.min(timeoutMs, leastMs));
}

export const senderOf = ({ tenant, sender }: Share) => `${tenant} ${sender}`;
