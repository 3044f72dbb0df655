import { DbError, type TenantDb, type TenantTx } from '../../db/db.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts';
import { isGone } from '../../kernel/errors.ts';
import type { Platform } from '../../kernel/feature.ts';
import { dueJourneys, postponeJourney } from '../instances/journeys.repository.ts';
import { overdueInstances, postponeDeadline } from '../instances/process-instances.repository.ts';
import type { Drive } from './drive.ts';

/** Handles steps and instances whose time is over, in a pass of the installation every half minute. */
type RunDueDeps = Pick<Platform, 'db' | 'everyTenantId' | 'onError' | 'suspended'> & {
  drive: Drive;
};

const RUN_DUE_EVERY_MS = 30 * SECOND;
/** The number of each kind that a tenant handles in its turn. */
const BATCH = 50;

export function defineRunDue(deps: RunDueDeps): JobDefinition<object> {
  return defineJob<object>({
    kind: 'process-manager.run-due',
    does: 'continues journeys when their pause or time limit has ended',
    maxAttempts: 3,
    backoff: { firstMs: SECOND, mostMs: MINUTE },
    timeoutMs: 10 * MINUTE,
    recurs: { everyMs: RUN_DUE_EVERY_MS, key: 'due' },
    async run(_payload, { now, signal }) {
      const done = new Set<string>(await deps.suspended());
      for (let more = true; more; ) {
        more = false;
        for await (const tenantId of deps.everyTenantId()) {
          if (done.has(tenantId)) continue;
          if (await runBatch(deps, deps.db.of(tenantId), now, signal)) more = true;
          else done.add(tenantId);
        }
      }
    },
  });
}

const KINDS = [
  { find: dueJourneys, trigger: { type: 'tick' }, postpone: postponeJourney, delayMs: HOUR },
  { find: overdueInstances, trigger: { type: 'expire' }, postpone: postponeDeadline, delayMs: DAY },
] as const;

/** Resolves to true if the tenant has more due steps or instances. */
async function runBatch(deps: RunDueDeps, db: TenantDb, now: number, signal: AbortSignal): Promise<boolean> {
  let more = false;
  for (const { find, trigger, postpone, delayMs } of KINDS) {
    const ids = await find(db, now, BATCH);
    more ||= ids.length === BATCH;
    for (const id of ids) {
      signal.throwIfAborted();
      const putOff = (tx: TenantTx) => postpone(tx, id, now + delayMs);
      await db
        .write(async (tx) => {
          const { refusal } = await deps.drive.apply(tx, id, trigger, now);
          // Otherwise every pass would find it again.
          if (refusal !== undefined) await putOff(tx);
        })
        .catch(isGone)
        .catch((error) => skip(deps, db, error, putOff));
    }
  }
  return more;
}

/**
 * Postpones a journey that cannot continue, so that it does not block others. A database that does not answer is not a fault
 * of the journey.
 */
async function skip(deps: RunDueDeps, db: TenantDb, error: unknown, putOff: (tx: TenantTx) => Promise<void>) {
  if (error instanceof DbError && error.fault !== 'unique') throw error;
  deps.onError('could not continue a journey that is due; it will be tried again', error);
  await db.write(putOff);
}
