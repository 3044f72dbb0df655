import type { Db, TenantTx } from '../db/db.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { defineJob, ensureClock, type JobDefinition, type JobKind } from './define-job.ts';
import type { Recurrence } from './next-run.ts';

/** Removes expired data of every tenant, a few rows at a time so that nobody waits for it. */
export type PurgeDeps = { db: Db; everyTenantId(): AsyncIterable<TenantId> };

/** Removes some rows. Resolves to their number. */
export type Remove = (tx: TenantTx, limit: number) => Promise<number>;

const BATCH = 500;

/** With `isHistory`, nothing is removed while the clock cannot be trusted, because the data could not be restored. */
export function definePurge(
  { db, everyTenantId }: PurgeDeps,
  { isHistory = false, ...kind }: Pick<JobKind<object>, 'kind' | 'does'> & { recurs: Recurrence; isHistory?: boolean },
  removalsAt: (now: number) => readonly Remove[] | Promise<readonly Remove[]>,
): JobDefinition<object> {
  return defineJob<object>({
    ...kind,
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: HOUR,
    async run(_payload, context) {
      const { now, signal } = context;
      if (isHistory) ensureClock(context);
      const removals = await removalsAt(now);
      for await (const tenantId of everyTenantId()) {
        for (const remove of removals) {
          for (let removed = BATCH; removed === BATCH; ) {
            signal.throwIfAborted();
            removed = await db.of(tenantId).write((tx) => remove(tx, BATCH));
          }
        }
      }
    },
  });
}
