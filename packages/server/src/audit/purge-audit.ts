import { defineJob, ensureClock, type JobDefinition } from '../jobs/define-job.ts';
import { definePurge, type PurgeDeps } from '../jobs/define-purge.ts';
import { DAY, HOUR, MINUTE } from '../kernel/clock.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { removeAuditEvents } from './audit.repository.ts';
import { removeKeyReads } from './key-reads.repository.ts';

const TABLE = 'audit_events';
/** Enough for a yearly audit, and for the month that it takes. */
export const AUDIT_KEPT_DAYS = 400;
/** Older events are not shown, whether or not they were removed. */
export const auditShownSince = (now: number) => now - AUDIT_KEPT_DAYS * DAY;
/** The budget needs the counts of one hour; a month of them shows what is usual. */
export const READS_KEPT_DAYS = 30;

export const auditJobs = (deps: PurgeDeps) => [purgeAuditJob(deps), tendMonthsJob(deps)];

export function purgeAuditJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'audit.purge',
      does: 'removes audit events older than 400 days, and counts of reads older than 30 days',
      recurs: { dailyAt: '00:30', key: 'daily' },
      isHistory: true,
    },
    async (now) => {
      const cutoff = firstIdAt(auditShownSince(now));
      const first = (await deps.db.firstMonth?.(TABLE)) ?? cutoff;
      const below = first < cutoff ? first : cutoff;
      const before = now - READS_KEPT_DAYS * DAY;
      return (['live', 'test'] as const).flatMap((environment) => [
        (tx, limit) => removeAuditEvents(tx, { environment, below, limit }),
        (tx, limit) => removeKeyReads(tx, { environment, before, limit }),
      ]);
    },
  );
}

/** Does nothing on SQLite, whose table has no months. */
function tendMonthsJob({ db }: Pick<PurgeDeps, 'db'>): JobDefinition<object> {
  return defineJob<object>({
    kind: 'audit.tend-months',
    does: 'on PostgreSQL, makes the tables of the coming months of audit events, and drops months that ended 400 days ago',
    maxAttempts: 10,
    backoff: { firstMs: MINUTE, mostMs: HOUR },
    timeoutMs: 12 * HOUR,
    recurs: { dailyAt: '00:15', key: 'daily' },
    async run(_payload, context) {
      ensureClock(context);
      const { now } = context;
      await db.tendMonths?.({ table: TABLE, now, dropBefore: auditShownSince(now) });
    },
  });
}
