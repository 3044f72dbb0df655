import type { NoteErased } from '../erasure-log/write-down.ts';
import type { JobDefinition } from '../jobs/define-job.ts';
import { definePurge, type PurgeDeps } from '../jobs/define-purge.ts';
import { HOUR } from '../kernel/clock.ts';
import { deleteExpired } from './erase-again.ts';
import { findExpired } from './members.repository.ts';
import { findListForUpdate } from './watchlists.repository.ts';

export type PurgeMembersDeps = PurgeDeps & { noteErased: NoteErased };

/** Removes expired members, one list in each transaction. No search finds a member once it has expired. */
export function purgeMembersJob(deps: PurgeMembersDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'watchlist-manager.purge-members',
      does: 'removes expired members of watchlists',
      recurs: { everyMs: HOUR, key: 'hourly' },
      isHistory: true,
    },
    (now) => [
      async (tx, limit) => {
        const expired = await findExpired(tx, { now });
        const list =
          expired && (await findListForUpdate(tx, { environment: expired.environment, id: expired.watchlist_id }));
        if (!list) return 0;
        await deleteExpired(deps, tx, { listId: list.id, now, limit });
        return limit;
      },
    ],
  );
}
