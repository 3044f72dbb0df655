import type { Db } from '../db/db.ts';
import type { NoteErased } from '../erasure-log/write-down.ts';
import { defineJob, ensureClock, type JobDefinition } from '../jobs/define-job.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { deleteExpired } from './erase-again.ts';
import { listsWithExpired } from './members.repository.ts';
import { findListForUpdate } from './watchlists.repository.ts';

const BATCH = 500;

export type PurgeMembersDeps = { db: Db; noteErased: NoteErased; everyTenantId(): AsyncIterable<TenantId> };

/** Members go when their time is over. They were not found any more from that moment on. */
export function purgeMembersJob(deps: PurgeMembersDeps): JobDefinition<object> {
  return defineJob<object>({
    kind: 'watchlist-manager.purge-members',
    does: 'removes expired members of watchlists',
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: HOUR,
    recurs: { everyMs: HOUR, key: 'hourly' },
    async run(_payload, context) {
      const { now, signal } = context;
      ensureClock(context);
      for await (const tenantId of deps.everyTenantId()) {
        const db = deps.db.of(tenantId);
        for (const { watchlist_id: id, environment } of await listsWithExpired(db, { now })) {
          for (let removed = BATCH; removed === BATCH; ) {
            signal.throwIfAborted();
            removed = await db.write(async (tx) => {
              if (!(await findListForUpdate(tx, { environment, id }))) return 0;
              return deleteExpired(deps, tx, { listId: id, now, limit: BATCH });
            });
          }
        }
      }
    },
  });
}
