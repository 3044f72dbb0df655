import type { Db, TenantDb } from '../../db/db.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import { isGone } from '../../kernel/errors.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { overdueInstances } from '../instances/deadlines.repository.ts';
import type { Drive } from './drive.ts';
import { dueJourneys } from './journeys.repository.ts';

/** Steps and instances whose time is over. One pass of the installation, every half minute. */
const BATCH = 200;

export function defineRunDue(deps: {
  db: Db;
  drive: Drive;
  everyTenantId(): AsyncIterable<TenantId>;
}): JobDefinition<object> {
  return defineJob<object>({
    kind: 'process-manager.run-due',
    maxAttempts: 3,
    backoff: { firstMs: SECOND, mostMs: MINUTE },
    timeoutMs: 10 * MINUTE,
    async run(_payload, { now, signal }) {
      for await (const tenantId of deps.everyTenantId()) {
        await runDueOf(deps.db.of(tenantId), deps.drive, now, signal);
      }
    },
  });
}

export async function runDueOf(db: TenantDb, drive: Drive, now: number, signal: AbortSignal): Promise<void> {
  const all = [
    { find: () => dueJourneys(db, now, BATCH), happening: { type: 'tick' } as const },
    { find: () => overdueInstances(db, now, BATCH), happening: { type: 'expire' } as const },
  ];
  for (const { find, happening } of all) {
    for (let more = true; more; ) {
      const ids = await find();
      // What is still due after its turn would be found for ever.
      more = ids.length === BATCH;
      for (const id of ids) {
        signal.throwIfAborted();
        await db.write((tx) => drive.apply(tx, id, happening, now)).catch(isGone);
      }
    }
  }
}
