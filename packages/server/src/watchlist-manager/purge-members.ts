import type { Db } from '../db/db.ts';
import { defineJob, type JobDefinition } from '../jobs/define-job.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { listsWithExpired, removeExpired } from './members.repository.ts';
import { findListForUpdate, nextRevision } from './watchlists.repository.ts';

const BATCH = 500;

export const PURGE_EVERY_MS = HOUR;

/** Members go when their time is over. They were not found any more from that moment on. */
export function purgeMembersJob(deps: { db: Db; everyTenantId(): AsyncIterable<TenantId> }): JobDefinition<object> {
  return defineJob<object>({
    kind: 'watchlist-manager.purge-members',
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: HOUR,
    async run(_payload, { now, signal }) {
      for await (const tenantId of deps.everyTenantId()) {
        const db = deps.db.of(tenantId);
        for (const { watchlist_id: id, environment } of await listsWithExpired(db, now)) {
          for (let removed = BATCH; removed === BATCH; ) {
            signal.throwIfAborted();
            removed = await db.write(async (tx) => {
              if (!(await findListForUpdate(tx, { environment, id }))) return 0;
              const gone = await removeExpired(tx, { listId: id, now, limit: BATCH });
              if (gone > 0) await nextRevision(tx, id, -gone);
              return gone;
            });
          }
        }
      }
    },
  });
}
