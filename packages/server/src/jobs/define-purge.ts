import type { Db, TenantTx } from '../db/db.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { defineJob, ensureClock, type JobDefinition } from './define-job.ts';

/** What is removed from every tenant without anybody asking, a little at a time so that nobody waits for it. */
export type PurgeDeps = { db: Db; everyTenantId(): AsyncIterable<TenantId> };

/** Removes some, and says how many. */
export type Remove = (tx: TenantTx, limit: number) => Promise<number>;

const BATCH = 500;

/** `isHistory`: what it removes would be missed. Nothing is removed while the clock cannot be trusted. */
export function definePurge(
  { db, everyTenantId }: PurgeDeps,
  { kind, does, isHistory = false }: { kind: string; does: string; isHistory?: boolean },
  removals: (now: number) => readonly Remove[],
): JobDefinition<object> {
  return defineJob<object>({
    kind,
    does,
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: HOUR,
    async run(_payload, context) {
      const { now, signal } = context;
      if (isHistory) ensureClock(context);
      for await (const tenantId of everyTenantId()) {
        for (const remove of removals(now)) {
          for (let removed = BATCH; removed === BATCH; ) {
            signal.throwIfAborted();
            removed = await db.of(tenantId).write((tx) => remove(tx, BATCH));
          }
        }
      }
    },
  });
}
