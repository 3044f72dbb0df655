import { boundedMap } from './bounded-map.ts';

/** Whose work it is. Turns go from tenant to tenant, and within a tenant from sender to sender. */
export type Share = { readonly tenant: string; readonly sender: string };

/**
 * Work that waits. The next turn belongs to the tenant that used least lately, and within it to the sender that used least;
 * of one sender, the oldest work comes first. Use decays with a half-life, so that nobody waits for ever because of
 * earlier work.
 */
export type FairQueue<Work extends { readonly share: Share }> = {
  add(work: Work): void;
  /** Removes the next work that may begin now. */
  take(mayBegin?: (work: Work) => boolean): Work | undefined;
  /** Records use, in a unit of the caller's choice. */
  charge(share: Share, cost: number): void;
  readonly waiting: readonly Work[];
};

export type FairQueueOptions = { readonly halfLifeMs?: number; now?(): number };

const HALF_LIFE_MS = 60_000;
/** Tenants and senders whose use is remembered. */
const MAX_REMEMBERED = 20_000;

export function fairQueue<Work extends { readonly share: Share }>(options: FairQueueOptions = {}): FairQueue<Work> {
  const { halfLifeMs = HALF_LIFE_MS, now = () => performance.now() } = options;
  const used = boundedMap<string, { amount: number; at: number }>(MAX_REMEMBERED);
  const waiting: Work[] = [];

  const usedBy = (key: string, at: number): number => {
    const use = used.get(key);
    return use ? use.amount * 2 ** ((use.at - at) / halfLifeMs) : 0;
  };

  return {
    waiting,
    add: (work) => void waiting.push(work),
    take(mayBegin = () => true) {
      const at = now();
      let best: { index: number; tenant: number; sender: number } | undefined;
      for (const [index, work] of waiting.entries()) {
        const [tenant, sender] = keysOf(work.share).map((key) => usedBy(key, at)) as [number, number];
        const isBetter = !best || tenant < best.tenant || (tenant === best.tenant && sender < best.sender);
        if (isBetter && mayBegin(work)) best = { index, tenant, sender };
      }
      return best && waiting.splice(best.index, 1)[0];
    },
    charge(share, cost) {
      const at = now();
      for (const key of keysOf(share)) used.set(key, { amount: usedBy(key, at) + cost, at });
    },
  };
}

function keysOf({ tenant, sender }: Share): [string, string] {
  return [tenant, `${tenant} ${sender}`];
}
