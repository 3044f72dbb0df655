import type { TenantTx } from '../db/db.ts';
import type { Scrub } from '../db/sqlite/scrub.ts';
import { defineJob, type JobDefinition } from '../jobs/define-job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { oneAtATime, type PassOf } from '../jobs/one-at-a-time.ts';
import { UNTIL_ERASED } from '../jobs/patience.ts';
import type { Clock } from '../kernel/clock.ts';
import { type ErasedKind, type LogEntries, MAX_IDS_OF_ENTRY } from './log-entries.ts';
import { addUnwritten, removeUnwritten, someUnwritten } from './unwritten.repository.ts';

/** Called in a transaction that erases. After its commit a job writes the ids to the log. */
export type NoteErased = (tx: TenantTx, kind: ErasedKind, ids: readonly string[]) => Promise<void>;

type WriteDown = Record<never, never>;

type ErasureWriterDeps = { entries: Pick<LogEntries, 'add'>; clock: Clock; scrub: Scrub };

/**
 * Writes erasures to the log, and removes the destroyed keys from the database files. Erasures of the same moment share
 * an entry. A server that is killed between the entry and the removal of its rows writes the entry again.
 */
export function erasureWriter({ entries, clock, scrub }: ErasureWriterDeps): PassOf {
  return oneAtATime(async (db, signal) => {
    for (;;) {
      signal?.throwIfAborted();
      const rows = await someUnwritten(db, { limit: MAX_IDS_OF_ENTRY });
      const kind = rows[0]?.kind;
      if (kind === undefined) return;
      const ids = rows.filter((row) => row.kind === kind).map(({ id }) => id);
      await entries.add({ tenantId: db.tenantId, kind, ids }, clock.now());
      await scrub();
      await db.write((tx) => removeUnwritten(tx, { kind, ids }));
    }
  });
}

export function writeDownJob(writeDown: PassOf): JobDefinition<WriteDown> {
  return defineJob<WriteDown>({
    kind: 'erasure-log.write-down',
    does: 'writes erasures to the list outside the database, scrubs the database files',
    ...UNTIL_ERASED,
    run: (_payload, { tenant, signal }) => writeDown(tenant(), signal),
  });
}

export function erasureNoter(jobs: Pick<Jobs, 'enqueue'>, job: JobDefinition<WriteDown>): NoteErased {
  return async (tx, kind, ids) => {
    if (ids.length === 0) return;
    for (const id of ids) await addUnwritten(tx, { kind, id });
    await jobs.enqueue(tx, job, {});
  };
}
