import type { JobDefinition } from '../jobs/define-job.ts';
import { definePurge, type PurgeDeps } from '../jobs/define-purge.ts';
import { HOUR } from '../kernel/clock.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { removeAuditEvents } from './audit.repository.ts';
import { removeKeyReads } from './key-reads.repository.ts';

/** Long enough for a yearly look back, and for the month it takes. */
export const AUDIT_KEPT_DAYS = 400;
/** Numbers of reads matter for an hour; a month shows what is usual. */
export const READS_KEPT_DAYS = 30;

export function purgeAuditJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'audit.purge',
      does: 'removes audit events older than 400 days, and counts of reads older than 30 days',
      recurs: { dailyAt: '00:30', key: 'daily' },
      isHistory: true,
    },
    (now) => {
      const below = firstIdAt(now - AUDIT_KEPT_DAYS * 24 * HOUR);
      const before = now - READS_KEPT_DAYS * 24 * HOUR;
      return (['live', 'test'] as const).flatMap((environment) => [
        (tx, limit) => removeAuditEvents(tx, { environment, below, limit }),
        (tx, limit) => removeKeyReads(tx, { environment, before, limit }),
      ]);
    },
  );
}
