import type { Audit } from '../audit/audit.ts';
import type { TenantReads } from '../db/db.ts';
import { query } from '../db/sql/statement.ts';
import type { PersonItem, PersonSource } from '../kernel/person-source.ts';
import type { Vault } from '../secrets/vault.ts';
import { deleteMember } from './erase-again.ts';
import { type Details, memberIdsOf, memberKey, openDetails, subjectOf } from './member-details.ts';
import type { StoredMember } from './members.repository.ts';
import { countMembers, findListForUpdate, listsAmong } from './watchlists.repository.ts';

/** Members are in the order of their keys: by list, and then by id. */
const IN_ENVIRONMENT = `m.tenant_id = :tenant_id AND m.watchlist_id IN
  (SELECT id FROM watchlists w WHERE w.tenant_id = :tenant_id AND w.environment = :environment)`;
const AFTER =
  query<StoredMember>()(`SELECT m.watchlist_id, m.id, m.details FROM watchlist_members m WHERE ${IN_ENVIRONMENT}
  AND (m.watchlist_id > :listId OR (m.watchlist_id = :listId AND m.id > :memberId)) ORDER BY m.watchlist_id, m.id LIMIT :limit + 0`);
const ONE = query<StoredMember>()(`SELECT m.watchlist_id, m.id, m.details FROM watchlist_members m
  WHERE m.tenant_id = :tenant_id AND m.watchlist_id = :listId AND m.id = :memberId`);

export function membersOfPerson(deps: {
  vault: Pick<Vault, 'unsealerFor'>;
  audit: Pick<Audit, 'record'>;
}): PersonSource {
  const detailsOf = async (db: TenantReads, member: StoredMember): Promise<Details> =>
    openDetails(await deps.vault.unsealerFor(db, subjectOf(member.watchlist_id)), member);
  return {
    kind: 'watchlistMember',
    count: countMembers,
    async page(db, environment, after, limit) {
      const { listId, memberId } = memberIdsOf(after);
      const rows = await AFTER.all(db, { environment, listId, memberId, limit });
      const items: PersonItem[] = [];
      for (const row of rows) {
        const id = memberKey({ listId: row.watchlist_id, memberId: row.id });
        items.push({ id, texts: Object.values(await detailsOf(db, row)) });
      }
      return items;
    },
    async show(db, id) {
      const { listId, memberId } = memberIdsOf(id);
      const row = await ONE.get(db, { listId, memberId });
      return row && { id: row.id, watchlistId: listId, ...(await detailsOf(db, row)) };
    },
    async erase(db, id, { by, caller, at }) {
      const member = memberIdsOf(id);
      const [list] = await listsAmong(db, { ids: [member.listId] });
      if (!list) return;
      await db.write(async (tx) => {
        if (!(await findListForUpdate(tx, list))) return;
        await deleteMember(deps, tx, member, { environment: list.environment, actor: by, ...caller, at });
      });
    },
  };
}
