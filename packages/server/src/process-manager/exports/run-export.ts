import { MAX_EXPORT_ROWS } from '@grove/contract';
import type { TenantDb } from '../../db/db.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import { definePurge, type PurgeDeps } from '../../jobs/define-purge.ts';
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts';
import { findInstanceIds } from '../find-instances.ts';
import type { ExportFilters, OpenFilters } from './export-filters.ts';
import {
  addPart,
  changeExport,
  type ExportRow,
  findExport,
  findExportForUpdate,
  removeExpired,
} from './exports.repository.ts';

export type RunExport = { exportId: string };

/** The ids of a part. Progress is stored after each part. */
export const PART_SIZE = 1000;
const MAX_ATTEMPTS = 5;

/** Finds the instances of an export, a part at a time. A run that was killed continues where it stopped. */
export function runExportJob({ openFilters }: { openFilters: OpenFilters }): JobDefinition<RunExport> {
  return defineJob<RunExport>({
    kind: 'process-manager.export',
    does: 'finds the instances of an export',
    maxAttempts: MAX_ATTEMPTS,
    backoff: { firstMs: SECOND, mostMs: MINUTE },
    timeoutMs: 10 * MINUTE,
    async run({ exportId }, { tenant, signal, attempt }) {
      const db = tenant();
      try {
        const row = await findExport(db, { id: exportId });
        if (row?.state !== 'RUNNING') return;
        const filters = await openFilters(db, row);
        while (await findMore(db, exportId, filters)) signal.throwIfAborted();
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS) await fail(db, exportId);
        throw error;
      }
    },
  });
}

/** Adds a part. Resolves to true if there may be more to find. */
async function findMore(db: TenantDb, exportId: string, filters: ExportFilters): Promise<boolean> {
  const row = await findExport(db, { id: exportId });
  if (row?.state !== 'RUNNING') return false;
  const scope = { environment: row.environment, wholeWords: false, pointer: '' } as const;
  const after = row.after_id || undefined;
  const window = { size: PART_SIZE, offset: 0, direction: 'DESC', ...(after && { after }) } as const;
  const { ids } = await findInstanceIds(db, scope, filters, window);
  const isFull = row.num_rows + ids.length >= MAX_EXPORT_ROWS;
  const past = { ...window, size: 1, after: ids.at(-1) ?? row.after_id };
  const isTruncated = isFull && (await findInstanceIds(db, scope, filters, past)).ids.length > 0;
  return db.write(async (tx) => {
    // The export may have been deleted, or another run may have continued it after this one lost its lease.
    const before = await findExportForUpdate(tx, { id: exportId });
    if (before?.state !== 'RUNNING' || before.after_id !== row.after_id) return false;
    const next: ExportRow = {
      ...before,
      num_parts: before.num_parts + (ids.length > 0 ? 1 : 0),
      num_rows: before.num_rows + ids.length,
      after_id: ids.at(-1) ?? before.after_id,
      truncated: isTruncated ? 1 : 0,
      // A search through very many instances may return fewer ids than the limit, so only an empty part is the end.
      state: ids.length === 0 || isFull ? 'DONE' : 'RUNNING',
    };
    if (ids.length > 0) await addPart(tx, { export_id: exportId, part: before.num_parts, ids });
    await changeExport(tx, next);
    return next.state === 'RUNNING';
  });
}

async function fail(db: TenantDb, exportId: string): Promise<void> {
  await db.write(async (tx) => {
    const row = await findExportForUpdate(tx, { id: exportId });
    if (row?.state === 'RUNNING') await changeExport(tx, { ...row, state: 'FAILED' });
  });
}

export function purgeExportsJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'process-manager.purge-exports',
      does: 'removes expired exports',
      recurs: { everyMs: HOUR, key: 'hourly' },
      isHistory: true,
    },
    // One export at a time: each has up to a hundred parts, which are deleted with it.
    (now) => [async (tx, limit) => ((await removeExpired(tx, { now, limit: 1 })) > 0 ? limit : 0)],
  );
}
