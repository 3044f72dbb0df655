import type { Db } from '../db/db.ts';
import { defineJob, type JobDefinition } from '../jobs/define-job.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { removeAuditEvents } from './audit.repository.ts';
import { idsFrom } from './ids-from.ts';

/** Long enough for a yearly look back, and for the month it takes. */
export const AUDIT_KEPT_DAYS = 400;
const BATCH = 500;

export function purgeAuditJob(deps: { db: Db; everyTenantId(): AsyncIterable<TenantId> }): JobDefinition<object> {
  return defineJob<object>({
    kind: 'audit.purge',
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: HOUR,
    async run(_payload, { now, signal }) {
      const below = idsFrom(now - AUDIT_KEPT_DAYS * 24 * HOUR);
      for await (const tenantId of deps.everyTenantId()) {
        for (const environment of ['live', 'test'] as const) {
          for (let removed = BATCH; removed === BATCH; ) {
            signal.throwIfAborted();
            const db = deps.db.of(tenantId);
            removed = await db.write((tx) => removeAuditEvents(tx, { environment, below, limit: BATCH }));
          }
        }
      }
    },
  });
}
