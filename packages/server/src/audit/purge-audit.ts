import type { JobDefinition } from '../jobs/define-job.ts';
import { definePurge, type PurgeDeps } from '../jobs/define-purge.ts';
import { HOUR } from '../kernel/clock.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { removeAuditEvents } from './audit.repository.ts';

/** Long enough for a yearly look back, and for the month it takes. */
export const AUDIT_KEPT_DAYS = 400;

export function purgeAuditJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(deps, 'audit.purge', (now) => {
    const below = firstIdAt(now - AUDIT_KEPT_DAYS * 24 * HOUR);
    return (['live', 'test'] as const).map(
      (environment) => (tx, limit) => removeAuditEvents(tx, { environment, below, limit }),
    );
  });
}
