import { DbError, type TenantDb } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { isGone } from '../../kernel/errors.ts';
import { lockChain } from '../instances/lock-chain.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import type { Deletion } from './begin-erasure.ts';
import { type DeleteInstanceDeps, deleteInChain, deleteInstances } from './delete-instance.ts';
import { dueChildren, lockDueRoots, setLastPurge } from './due.repository.ts';

/**
 * Deletes the instances of a tenant whose retention is over, a batch in each transaction: if a server is killed, each
 * instance is either complete or deleted, and the next run continues. Servers that purge the same tenant skip the instances
 * that another one has locked.
 */
export type Purge = (db: TenantDb, request: PurgeRequest) => Promise<PurgeResult>;

export type PurgeRequest = {
  environment?: Environment | undefined;
  now: number;
  /** The highest number of instances to delete. */
  limit: number;
  deletion: Omit<Deletion, 'at' | 'reason'>;
  signal?: AbortSignal;
  /** Instances that could not be deleted. They are skipped, and those that fail now are added. */
  failed?: Set<string>;
};

/** `failure` is the error of an instance that could not be deleted. */
export type PurgeResult = { purged: number; failure?: { reason: unknown } };

/** An instance that cannot be deleted does not stop the others; so many mean that something else is wrong. */
const MAX_FAILED = 100;

/** `batch` is the number of instances in a transaction. */
export function purger(deps: DeleteInstanceDeps, { batch }: { batch: number }): Purge {
  const eraseOne = dueEraser(deps);
  return async (db, { environment, now, limit, deletion, signal, failed = new Set() }) => {
    const why: Deletion = { ...deletion, at: now, reason: 'RETENTION' };
    let purged = 0;
    let failure: PurgeResult['failure'];
    const sliceOf = () => ({ environment, now, limit: Math.min(batch, limit - purged), others: failed });
    const eraseSingly = async (ids: readonly string[]) => {
      for (const id of ids) {
        signal?.throwIfAborted();
        try {
          if (await eraseOne(db, id, why).catch(isGone)) purged += 1;
        } catch (error) {
          ensureRowFault(error);
          failed.add(id);
          failure = { reason: error };
        }
      }
    };
    const isOver = () => purged >= limit || failed.size >= MAX_FAILED;
    while (!isOver()) {
      signal?.throwIfAborted();
      let ids: readonly string[] = [];
      try {
        await db.write(async (tx) => {
          const rows = await lockDueRoots(tx, sliceOf());
          ids = rows.map(({ id }) => id);
          if (rows.length > 0) await deleteInstances(tx, rows, why, deps);
        });
        purged += ids.length;
      } catch (error) {
        ensureRowFault(error);
        // One of them is faulty. The others can be deleted without it.
        await eraseSingly(ids);
      }
      if (ids.length === 0) break;
    }
    while (!isOver()) {
      const ids = (await dueChildren(db, sliceOf())).map(({ id }) => id);
      if (ids.length === 0) break;
      await eraseSingly(ids);
    }
    await db.write((tx) => setLastPurge(tx, now));
    return { purged, ...(failure && { failure }) };
  };
}

/** Rethrows an error that is not the fault of a row: a database that is away or full fails for every row. */
function ensureRowFault(error: unknown): void {
  const isOutage = error instanceof DbError && error.fault !== 'busy' && error.fault !== 'unique';
  if (isOutage || (error as Error)?.name === 'AbortError') throw error;
}

/** Deletes the instance if it still exists and is still due. Resolves to true if it did. */
type EraseDue = (db: TenantDb, instanceId: string, deletion: Deletion) => Promise<boolean>;

/** Checks the locked instance again: it may have been deleted, or have moved on, since it was found. */
function dueEraser(deps: DeleteInstanceDeps): EraseDue {
  return (db, instanceId, deletion) =>
    db.write(async (tx) => {
      const row = (await lockChain(tx, instanceId)).at(-1);
      if (!row || !isDue(row, deletion.at)) return false;
      await deleteInChain(tx, row, deletion, deps);
      return true;
    });
}

/** The same condition as in `due.repository.ts`. */
function isDue({ expiring_at, deadline_at }: InstanceRow, now: number): boolean {
  return expiring_at <= now && (deadline_at === null || deadline_at <= now);
}
