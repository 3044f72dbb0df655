import type { JobDefinition } from '../jobs/define-job.ts';
import { definePurge, type PurgeDeps, type Remove } from '../jobs/define-purge.ts';
import { HOUR, MINUTE } from '../kernel/clock.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { removeOldAuthentications } from './attempts/authentications.repository.ts';
import { removeExpiredCeremonies } from './ceremonies/ceremonies.repository.ts';
import { removeExpiredQueries } from './events/event-queries.repository.ts';
import { removeOldEvents } from './events/identity-events.repository.ts';
import { removeExpiredPending } from './totps/totps.repository.ts';

/** Jobs that remove expired data from identity stores. */

export const EVENTS_KEPT_DAYS = 90;
/** Long enough for a yearly audit plus one month to do it. */
export const AUTHENTICATIONS_KEPT_DAYS = 400;
const PURGE_EVERY_MS = 10 * MINUTE;
const DAY = 24 * HOUR;

/** Removes expired sessions, queries and registrations. Nothing can use them any more. */
export function purgeExpiredJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'identity-store.purge-expired',
      does: 'removes expired sessions, event queries and unconfirmed one-time passwords',
      recurs: { everyMs: PURGE_EVERY_MS, key: 'expired' },
    },
    (now) => [
      (tx, limit) => removeExpiredCeremonies(tx, { now, limit }),
      (tx, limit) => removeExpiredQueries(tx, { now, limit }),
      (tx, limit) => removeExpiredPending(tx, { now, limit }),
    ],
  );
}

/** Removes events and authentications that are older than their retention time. */
export function purgeHistoryJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'identity-store.purge-history',
      does: 'removes events and authentications after their retention',
      recurs: { dailyAt: '00:45', key: 'daily' },
      isHistory: true,
    },
    (now) => [
      ...(['live', 'test'] as const).map(
        (environment): Remove =>
          (tx, limit) =>
            removeOldEvents(tx, { environment, beforeId: firstIdAt(now - EVENTS_KEPT_DAYS * DAY), limit }),
      ),
      (tx, limit) =>
        removeOldAuthentications(tx, { beforeId: firstIdAt(now - AUTHENTICATIONS_KEPT_DAYS * DAY), limit }),
    ],
  );
}
