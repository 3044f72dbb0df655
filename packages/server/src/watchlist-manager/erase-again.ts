import type { Audit, AuditedChange } from '../audit/audit.ts';
import type { TenantDb, TenantTx } from '../db/db.ts';
import { type Erasable, REPLAYED_BY } from '../erasure-log/replay-erasures.ts';
import type { NoteErased } from '../erasure-log/write-down.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Galleries } from './galleries.ts';
import { type MemberIds, memberIdsOf, memberKey, subjectOf } from './member-details.ts';
import { removeExpired, removeFirstMembers, removeMember } from './members.repository.ts';
import {
  changeList,
  findList,
  findListForUpdate,
  type ListKey,
  listsAmong,
  nextRevision,
  oldestList,
  removeList,
} from './watchlists.repository.ts';

/** Deletes lists and members, and deletes them again if a backup has brought them back. */
export type EraseDeps = {
  vault: Pick<Vault, 'destroySubject'>;
  audit: Pick<Audit, 'record'>;
  galleries: Pick<Galleries, 'forget'>;
};

type By = Omit<AuditedChange, 'action'>;

/** Members that are removed in one transaction. */
export const MEMBERS_AT_ONCE = 500;

/**
 * Removes the members of a long list before the list, in transactions of their own: a hundred thousand at once would hold
 * the only writer of SQLite for seconds. The list is inactive meanwhile, so that nobody is compared with a part of it. If
 * the server dies in between, the list is still there, and can be deleted again.
 */
export async function emptyList(db: TenantDb, key: ListKey): Promise<void> {
  const before = await findList(db, key);
  if (!before || before.num_members <= MEMBERS_AT_ONCE || db.inTransaction) return;
  await db.write(async (tx) => {
    const list = await findListForUpdate(tx, key);
    if (list) await changeList(tx, { ...list, status: 'INACTIVE' });
  });
  // Members that somebody adds meanwhile go with the list.
  for (let remaining = before.num_members; remaining > 0; remaining -= MEMBERS_AT_ONCE) {
    await db.write(async (tx) => {
      if (!(await findListForUpdate(tx, key))) return;
      const removed = await removeFirstMembers(tx, { listId: key.id, limit: MEMBERS_AT_ONCE });
      if (removed > 0) await nextRevision(tx, key.id, -removed);
    });
  }
}

/** Deletes a list with all its members. The caller has locked it. */
export async function deleteList(
  { vault, audit, galleries }: EraseDeps,
  tx: TenantTx,
  listId: string,
  by: By,
): Promise<void> {
  await vault.destroySubject(tx, subjectOf(listId));
  await removeList(tx, { id: listId });
  await audit.record(tx, { ...by, action: 'watchlist.deleted', item: listId });
  tx.afterCommit(() => galleries.forget(tx.tenantId, listId));
}

/** Returns false if there is no such member. The caller has locked the list. */
export async function deleteMember(
  { audit }: Pick<EraseDeps, 'audit'>,
  tx: TenantTx,
  { listId, memberId }: MemberIds,
  by: By,
): Promise<boolean> {
  if (!(await removeMember(tx, { listId, id: memberId }))) return false;
  await nextRevision(tx, listId, -1);
  await audit.record(tx, { ...by, action: 'watchlist.memberRemoved', item: listId });
  return true;
}

/**
 * Deletes expired members and returns their number. The erasure log names them, because in an older backup they may expire
 * later, or never. The caller has locked the list.
 */
export async function deleteExpired(
  { noteErased }: { noteErased: NoteErased },
  tx: TenantTx,
  { listId, now, limit }: { listId: string; now: number; limit: number },
): Promise<number> {
  const removed = await removeExpired(tx, { listId, now, limit });
  if (removed.length === 0) return 0;
  await nextRevision(tx, listId, -removed.length);
  await noteErased(
    tx,
    'watchlist-member',
    removed.map((memberId) => memberKey({ listId, memberId })),
  );
  return removed.length;
}

export function erasableLists(deps: EraseDeps): Erasable[] {
  /** Runs the work for each list that still exists, in a transaction of its own that locks the list. */
  const inEach = async (
    db: TenantDb,
    { ids, at, emptyFirst = false }: { ids: readonly string[]; at: number; emptyFirst?: boolean },
    work: (tx: TenantTx, listId: string, by: By) => Promise<number>,
  ): Promise<number> => {
    let erased = 0;
    for (const list of await listsAmong(db, { ids: [...new Set(ids)] })) {
      const by = { environment: list.environment, actor: REPLAYED_BY, at };
      if (emptyFirst) await emptyList(db, list);
      erased += await db.write(async (tx) => ((await findListForUpdate(tx, list)) ? work(tx, list.id, by) : 0));
    }
    return erased;
  };
  return [
    {
      kind: 'watchlist',
      oldest: oldestList,
      eraseAgain: (db, ids, at) =>
        inEach(db, { ids, at, emptyFirst: true }, async (tx, listId, by) => {
          await deleteList(deps, tx, listId, by);
          return 1;
        }),
    },
    {
      kind: 'watchlist-member',
      // No member is older than its list.
      oldest: async () => undefined,
      async eraseAgain(db, ids, at) {
        const members = ids.map(memberIdsOf);
        const listIds = members.map(({ listId }) => listId);
        return inEach(db, { ids: listIds, at }, async (tx, listId, by) => {
          let erased = 0;
          for (const member of members.filter((each) => each.listId === listId)) {
            if (await deleteMember(deps, tx, member, by)) erased += 1;
          }
          return erased;
        });
      },
    },
  ];
}
