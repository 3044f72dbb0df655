import type { TenantDb } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { isGone } from '../../kernel/errors.ts';
import type { Deletion } from './begin-erasure.ts';
import { dueInstances, setLastPurge } from './due.repository.ts';

/**
 * Deletes the instances of a tenant whose retention is over, each in a transaction of its own that looks at it again:
 * whoever is killed in the middle leaves every instance either wholly there or deleted, and the next run goes on.
 */
export type Purge = (db: TenantDb, place: PurgePlace) => Promise<number>;

export type PurgePlace = {
  environment?: Environment | undefined;
  now: number;
  /** At most so many. */
  limit: number;
  deletion: Omit<Deletion, 'at' | 'reason'>;
  signal?: AbortSignal;
};

/** Transactions that arrive together share a commit. */
const AT_ONCE = 8;
const BATCH = 200;

/** Deletes the instance if it is still there and still due; tells whether it did. */
export type EraseDue = (db: TenantDb, instanceId: string, deletion: Deletion) => Promise<boolean>;

export function purger(eraseDue: EraseDue): Purge {
  return async (db, { environment, now, limit, deletion, signal }) => {
    const why: Deletion = { ...deletion, at: now, reason: 'RETENTION' };
    const erase = (id: string) => eraseDue(db, id, why).catch(isGone);
    let purged = 0;
    let failure: { reason: unknown } | undefined;
    for (let gone = -1; gone !== 0 && purged < limit; purged += gone) {
      const due = await dueInstances(db, { environment, now }, Math.min(BATCH, limit - purged));
      gone = 0;
      for (let from = 0; from < due.length; from += AT_ONCE) {
        signal?.throwIfAborted();
        const some = due.slice(from, from + AT_ONCE);
        const ended = await Promise.allSettled(some.map(({ id }) => erase(id)));
        for (const [at, each] of ended.entries()) {
          // Two that were deleted together may have been in each other's way: alone it may go.
          const again = each.status === 'fulfilled' ? each : await settled(erase((some[at] as { id: string }).id));
          if (again.status === 'rejected') failure = again;
          else if (again.value) gone += 1;
        }
      }
    }
    await db.write((tx) => setLastPurge(tx, now));
    // One that cannot be deleted keeps no other from going.
    if (failure) throw failure.reason;
    return purged;
  };
}

async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [ended] = await Promise.allSettled([promise]);
  return ended as PromiseSettledResult<T>;
}
