import type { Db, TenantDb } from '../../db/db.ts';
import { type Clock, HOUR } from '../../kernel/clock.ts';
import { isGone } from '../../kernel/errors.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { lockChain } from '../engine/drive.ts';
import { type DeleteInstanceDeps, deleteInChain } from '../instances/delete-instance.ts';
import type { Deletion } from './begin-erasure.ts';
import type { ErasureLog } from './erasure-log.ts';
import { erasuresKnownUntil, instancesAmong, oldestInstance, setErasuresKnown } from './erasure-marks.repository.ts';

export type ReplayDeps = {
  db: Db;
  clock: Clock;
  log: Pick<ErasureLog, 'since' | 'forget'>;
  everyTenantId(): AsyncIterable<TenantId>;
  eraseAgain(db: TenantDb, instanceId: string, deletion: Deletion): Promise<boolean>;
};

/** Deletes again what was erased and is there all the same, and says how many that were. */
export type ReplayErasures = (signal: AbortSignal) => Promise<number>;

/** A database that is the one of yesterday needs no note of that every hour. */
const NOTED_EVERY_MS = 12 * HOUR;

/**
 * A database knows until when it is complete: everything that the log holds from before that moment it has erased itself,
 * or by this. One that was put back from a backup knows an earlier moment, and from there on it is caught up.
 */
export function erasureReplay({ db, clock, log, everyTenantId, eraseAgain }: ReplayDeps): ReplayErasures {
  const marks = async (now: number) => {
    const behind: TenantId[] = [];
    let from: number | undefined;
    for await (const tenantId of everyTenantId()) {
      // What is there cannot have been erased before it was made.
      const oldest = await oldestInstance(db.of(tenantId));
      if (oldest === undefined) continue;
      const known = (await erasuresKnownUntil(db.of(tenantId))) ?? 0;
      from = Math.min(from ?? now, Math.max(oldest, known));
      if (known < now - NOTED_EVERY_MS) behind.push(tenantId);
    }
    return { behind, from };
  };

  return async (signal) => {
    const now = clock.now();
    const { behind, from } = await marks(now);
    if (from === undefined) return 0;
    const deletion: Deletion = { by: 'Erasure before a restore', reason: 'REQUEST', at: now };
    let erased = 0;
    for await (const { tenantId, instanceIds } of log.since(from, now)) {
      signal.throwIfAborted();
      const tenant = db.of(tenantId);
      for (const id of await instancesAmong(tenant, instanceIds)) {
        // With its parent it may have gone already.
        if (await eraseAgain(tenant, id, deletion).catch(isGone)) erased += 1;
      }
    }
    for (const tenantId of behind) await db.of(tenantId).write((tx) => setErasuresKnown(tx, now));
    if (behind.length > 0) await log.forget(now);
    return erased;
  };
}

export function againEraser(deps: DeleteInstanceDeps): ReplayDeps['eraseAgain'] {
  return (db, instanceId, deletion) =>
    db.write(async (tx) => {
      const row = (await lockChain(tx, instanceId)).at(-1);
      if (row) await deleteInChain(tx, row, deletion, deps);
      return row !== undefined;
    });
}

const WITHIN_MS = 20_000;

/** A store that does not answer must not keep the server from starting for ever: then it goes on, and the nightly job. */
export async function catchUp(
  replay: ReplayErasures,
  signal: AbortSignal,
  onError: (what: string, error: unknown) => void,
): Promise<void> {
  const failed = (error: unknown) => {
    if (!signal.aborted)
      onError('what was erased after a backup could not be looked for; the next midnight will', error);
  };
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, WITHIN_MS);
  await Promise.race([replay(signal).then(() => undefined, failed), late.promise]);
  clearTimeout(timer);
}
