import { randomUUID } from 'node:crypto';
import type { SystemDb } from '../db/db.ts';
import type { Lease, LeaseTable } from './lease-table.ts';

/** Runs a claim with a new lease. `leaseMs` replaces the length of the queue's leases. */
export type UnderLease = <T>(claim: (lease: Lease) => Promise<T>, leaseMs?: number) => Promise<T>;

/**
 * The claims of one server. The database may have committed a claim whose answer was lost with the connection. Nobody
 * works on those items, so they are given back before the next claim, or a little later if it was committed late.
 */
export type Claims = {
  /** Gives back what earlier claims have lost. Throws if the database is away: then a claim would fail as well. */
  begin(now: number): Promise<UnderLease>;
};

type ClaimedQueue = { readonly table: Pick<LeaseTable, 'giveBackClaims'>; readonly leaseMs: number };

/** Claims that fail at the same time. More of them are not remembered; their leases expire. */
export const MAX_LOST_CLAIMS = 32;

/** The part of a lease that passes between the first search for a lost claim and the second. Then the time doubles. */
const FIRST_WAIT = 1 / 64;

/** `at` is the time of the claim, when its items were due. The clock may be set back later. */
type LostClaim = Lease & { readonly at: number };

export function openClaims(db: Pick<SystemDb, 'write'>, { table, leaseMs }: ClaimedQueue): Claims {
  const lostClaims: LostClaim[] = [];
  let searchedAt = 0;
  let waitMs = 0;
  const giveBackLost = async (now: number) => {
    // A claim may be committed after its connection was lost, so the search is repeated until its lease is over.
    const pending = lostClaims.filter(({ until }) => until > now);
    lostClaims.splice(0, lostClaims.length, ...pending);
    if (pending.length === 0) return;
    // The search reads everything that is due. With a long queue, that takes longer than many claims.
    const passedMs = now - searchedAt;
    if (passedMs >= 0 && passedMs < waitMs) return;
    const tokens = pending.map(({ token }) => token);
    const claimedUntil = Math.max(...pending.map(({ at }) => at));
    await db.write((tx) => table.giveBackClaims(tx, tokens, claimedUntil));
    searchedAt = now;
    waitMs = Math.max(2 * waitMs, leaseMs * FIRST_WAIT);
  };
  return {
    async begin(now) {
      await giveBackLost(now);
      return async (claim, ownLeaseMs = leaseMs) => {
        const lease = { token: randomUUID(), until: now + ownLeaseMs };
        try {
          return await claim(lease);
        } catch (error) {
          lostClaims.push({ ...lease, at: now });
          waitMs = 0;
          if (lostClaims.length > MAX_LOST_CLAIMS) lostClaims.shift();
          throw error;
        }
      };
    },
  };
}
