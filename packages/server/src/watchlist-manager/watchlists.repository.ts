import type { TenantReads, TenantTx } from '../db/db.ts';
import { bigint, FOR_UPDATE, inList } from '../db/sql/dialect.ts';
import { NAME_FILTER } from '../db/sql/list.ts';
import { query } from '../db/sql/statement.ts';
import { integer, optional, type RowOf, TRACKED, table, text, WITH_NAME } from '../db/sql/table.ts';
import { type Environment, seenFrom } from '../kernel/environment.ts';
import { sortable } from '../kernel/pages.ts';

export type ListType = 'FACE' | 'DOCUMENT_NUMBER' | 'EMAIL';
const watchlists = table('watchlists', {
  ...WITH_NAME,
  description: optional(text()),
  type: text<ListType>(),
  status: text<'ACTIVE' | 'INACTIVE'>(),
  max_size: integer(),
  num_members: integer(),
  expire_after: optional(text()),
  revision: integer(),
  ...TRACKED,
});
const { columns } = watchlists;
export type ListRow = RowOf<typeof watchlists>;

export const LIST_SORTABLE = sortable('id', 'name', 'type', 'status', 'numMembers', 'createdDtm', 'lastUpdatedDtm');

const COUNT_CHANGE = query<{
  revision: number;
}>()(`UPDATE watchlists SET num_members = num_members + :moreMembers, revision = revision + 1
  WHERE tenant_id = :tenant_id AND id = :id RETURNING revision`);

export type ListKey = { environment: Environment; id: string };

export const findList = watchlists.select(
  columns,
  'WHERE tenant_id = :tenant_id AND environment = :environment AND id = :id',
).get;

/** Locks the list: nobody else can change it or its members until the transaction ends. */
export const findListForUpdate = watchlists.select(
  columns,
  `WHERE tenant_id = :tenant_id AND environment = :environment AND id = :id
  ${FOR_UPDATE}`,
).get;

export const findListNamed = watchlists.select(
  columns,
  'WHERE tenant_id = :tenant_id AND environment = :environment AND name = :name',
).get;

/**
 * Whether a definition of the environment may name a list. A live journey searches only live lists, so a live definition
 * needs one.
 */
export const isListName = watchlists.select(
  ['id'],
  `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :name LIMIT 1`,
).exists;

export const countLists = watchlists.count('WHERE tenant_id = :tenant_id AND environment = :environment');

export const addList = watchlists.insert().run;

export const changeList = watchlists.update(
  ['name', 'name_folded', 'description', 'status', 'max_size', 'expire_after', 'last_updated_at', 'last_updated_by'],
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;

/** Counts a change of the members and returns the new revision. The caller has locked the list. */
export async function nextRevision(tx: TenantTx, id: string, moreMembers: number): Promise<number> {
  const next = await COUNT_CHANGE.get(tx, { id, moreMembers });
  if (!next) throw new Error('a watchlist that was locked is gone');
  return next.revision;
}

export const removeList = watchlists.delete('WHERE tenant_id = :tenant_id AND id = :id').run;

const OLDEST = query<{ at: number | null }>()(
  'SELECT min(created_at) AS at FROM watchlists WHERE tenant_id = :tenant_id',
);

/** The time when the oldest remaining list was created. */
export async function oldestList(db: TenantReads): Promise<number | undefined> {
  return (await OLDEST.get(db, {}))?.at ?? undefined;
}

const MEMBERS = query<{ total: number }>()(`SELECT ${bigint('coalesce(sum(num_members), 0)')} AS total FROM watchlists
  WHERE tenant_id = :tenant_id AND environment = :environment`);

/** Counts the members of all lists, including expired ones that were not purged yet. */
export async function countMembers(db: TenantReads, environment: Environment): Promise<number> {
  return (await MEMBERS.get(db, { environment }))?.total ?? 0;
}

/** Finds those of the lists that still exist, in either environment. */
export const listsAmong = query<ListKey>()(
  `SELECT id, environment FROM watchlists WHERE tenant_id = :tenant_id AND id ${inList(':ids')}`,
).all;

export const pageLists = watchlists.list(columns, 'WHERE tenant_id = :tenant_id AND environment = :environment', {
  ...NAME_FILTER,
  type: 'AND type = :type',
});
