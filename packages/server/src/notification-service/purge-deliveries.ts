import type { Db, TenantDb } from '../db/db.ts';
import { defineJob, ensureClock, type JobDefinition } from '../jobs/define-job.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import { firstIdAt, type TenantId } from '../kernel/ids.ts';
import {
  expireDeliveries,
  giveUpOverflow,
  removeEndedDeliveries,
  removeOrphanedDeliveries,
} from './deliveries.repository.ts';
import { forgetOldSecrets } from './webhooks.repository.ts';

const DAY = 24 * HOUR;
/** Longer than any schedule of retries, and short enough to be seen before it is removed. */
export const EXPIRES_AFTER_MS = 25 * DAY;
export const KEPT_MS = 30 * DAY;
const MAX_BATCH = 500;
/** Of one webhook. A receiver that is away for days must not fill the disk of everybody. */
export const MOST_WAITING = 100_000;

/** The log is kept for thirty days; what could not be delivered by then never will be. */
export function purgeDeliveriesJob(db: Db, everyTenantId: () => AsyncIterable<TenantId>): JobDefinition<object> {
  return defineJob<object>({
    kind: 'notification-service.purge-deliveries',
    does: 'gives up deliveries that have waited too long, and removes old ones',
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: 30 * MINUTE,
    recurs: { everyMs: HOUR, key: 'hourly' },
    async run(_payload, context) {
      const { now, signal } = context;
      ensureClock(context);
      for await (const tenantId of everyTenantId()) await purgeDeliveries(db.of(tenantId), now, signal);
    },
  });
}

export async function purgeDeliveries(
  db: TenantDb,
  now: number,
  signal?: AbortSignal,
  mostWaiting = MOST_WAITING,
): Promise<void> {
  const inBatches = async (work: (tx: Parameters<Parameters<TenantDb['write']>[0]>[0]) => Promise<number>) => {
    for (let done = -1; done !== 0; ) {
      signal?.throwIfAborted();
      done = await db.write(work);
    }
  };
  await inBatches((tx) => expireDeliveries(tx, firstIdAt(now - EXPIRES_AFTER_MS), MAX_BATCH));
  await inBatches((tx) => giveUpOverflow(tx, mostWaiting, MAX_BATCH));
  await inBatches((tx) => removeEndedDeliveries(tx, { beforeId: firstIdAt(now - KEPT_MS), limit: MAX_BATCH }));
  await inBatches((tx) => removeOrphanedDeliveries(tx, MAX_BATCH));
  await db.write((tx) => forgetOldSecrets(tx, { now }));
}
