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
/** Longer than any schedule of retries, and early enough that the result is visible before it is removed. */
export const EXPIRES_AFTER_MS = 25 * DAY;
export const KEPT_MS = 30 * DAY;
const MAX_BATCH = 500;
/** The limit of one webhook: a receiver that is away for days must not fill the disk. */
export const MAX_WAITING = 100_000;

/** Removes the log after thirty days, and gives up deliveries that have waited too long. */
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
  maxWaiting = MAX_WAITING,
): Promise<void> {
  const inBatches = async (work: (tx: Parameters<Parameters<TenantDb['write']>[0]>[0]) => Promise<number>) => {
    for (let done = -1; done !== 0; ) {
      signal?.throwIfAborted();
      done = await db.write(work);
    }
  };
  await inBatches((tx) => expireDeliveries(tx, firstIdAt(now - EXPIRES_AFTER_MS), MAX_BATCH));
  await inBatches((tx) => giveUpOverflow(tx, maxWaiting, MAX_BATCH));
  await inBatches((tx) => removeEndedDeliveries(tx, { beforeId: firstIdAt(now - KEPT_MS), limit: MAX_BATCH }));
  await inBatches((tx) => removeOrphanedDeliveries(tx, MAX_BATCH));
  await db.write((tx) => forgetOldSecrets(tx, { now }));
}
