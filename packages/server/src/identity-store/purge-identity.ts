import type { JobDefinition } from '../jobs/define-job.ts';
import { definePurge, type PurgeDeps, type Remove } from '../jobs/define-purge.ts';
import { HOUR, MINUTE } from '../kernel/clock.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { removeOldAuthentications } from './attempts/authentications.repository.ts';
import { removeExpiredCeremonies } from './ceremonies/ceremonies.repository.ts';
import { removeExpiredQueries } from './events/event-queries.repository.ts';
import { removeOldEvents } from './events/identity-events.repository.ts';
import { removeExpiredPending } from './totps/totps.repository.ts';

/** What is removed from identity stores without anybody asking. */

export const EVENTS_KEPT_DAYS = 90;
/** Long enough for a yearly look back, and for the month it takes. */
export const AUTHENTICATIONS_KEPT_DAYS = 400;
const PURGE_EVERY_MS = 10 * MINUTE;
const DAY = 24 * HOUR;

/** Sessions, queries and registrations whose time is up: they were of no use already. */
export function purgeExpiredJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'identity-store.purge-expired',
      does: 'removes expired sessions, event queries and unconfirmed one-time passwords',
      recurs: { everyMs: PURGE_EVERY_MS, key: 'expired' },
    },
    (now) => [
      (tx, limit) => removeExpiredCeremonies(tx, now, limit),
      (tx, limit) => removeExpiredQueries(tx, now, limit),
      (tx, limit) => removeExpiredPending(tx, now, limit),
    ],
  );
}

/** Events and authentications that are older than they are kept. */
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
      (tx, limit) => removeOldAuthentications(tx, firstIdAt(now - AUTHENTICATIONS_KEPT_DAYS * DAY), limit),
    ],
  );
}
