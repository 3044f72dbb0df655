import type { Db, TenantTx } from '../db/db.ts';
import { defineJob, type JobDefinition } from '../jobs/define-job.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { removeOldAuthentications } from './attempts/authentications.repository.ts';
import { removeExpiredCeremonies } from './ceremonies/ceremonies.repository.ts';
import { removeExpiredQueries } from './events/event-queries.repository.ts';
import { removeOldEvents } from './events/identity-events.repository.ts';
import { removeExpiredPending } from './totps/totps.repository.ts';

/** What is removed from identity stores without anybody asking. */

export const EVENTS_KEPT_DAYS = 90;
/** Long enough for a yearly look back, and for the month it takes. */
export const AUTHENTICATIONS_KEPT_DAYS = 400;
export const PURGE_EVERY_MS = 10 * MINUTE;
const DAY = 24 * HOUR;
const BATCH = 500;

export type PurgeDeps = { db: Db; everyTenantId(): AsyncIterable<TenantId> };

/** Removes some, and says how many. */
type Remove = (tx: TenantTx, limit: number) => Promise<number>;

/** Sessions, queries and registrations whose time is up: they were of no use already. */
export function purgeExpiredJob(deps: PurgeDeps): JobDefinition<object> {
  return purging(deps, 'identity-store.purge-expired', (now) => [
    (tx, limit) => removeExpiredCeremonies(tx, now, limit),
    (tx, limit) => removeExpiredQueries(tx, now, limit),
    (tx, limit) => removeExpiredPending(tx, now, limit),
  ]);
}

/** Events and authentications that are older than they are kept. */
export function purgeHistoryJob(deps: PurgeDeps): JobDefinition<object> {
  return purging(deps, 'identity-store.purge-history', (now) => [
    ...(['live', 'test'] as const).map(
      (environment): Remove =>
        (tx, limit) =>
          removeOldEvents(tx, { environment, beforeId: firstIdOf(now - EVENTS_KEPT_DAYS * DAY), limit }),
    ),
    (tx, limit) => removeOldAuthentications(tx, firstIdOf(now - AUTHENTICATIONS_KEPT_DAYS * DAY), limit),
  ]);
}

/** Every id made at or after the moment is not less than this, and every earlier one is. */
function firstIdOf(at: number): string {
  return newId(Math.max(0, at)).slice(0, 10);
}

function purging(deps: PurgeDeps, kind: string, removals: (now: number) => readonly Remove[]): JobDefinition<object> {
  return defineJob<object>({
    kind,
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: HOUR,
    async run(_payload, { now, signal }) {
      for await (const tenantId of deps.everyTenantId()) {
        const db = deps.db.of(tenantId);
        for (const remove of removals(now)) {
          for (let removed = BATCH; removed === BATCH; ) {
            signal.throwIfAborted();
            removed = await db.write((tx) => remove(tx, BATCH));
          }
        }
      }
    },
  });
}
