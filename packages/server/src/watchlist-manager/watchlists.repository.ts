import { sql, type TenantReads, type TenantTx, unprepared } from '../db/db.ts';
import { FOR_UPDATE, inJson } from '../db/sql/dialect.ts';
import type { Environment } from '../kernel/environment.ts';
import type { Paging } from '../kernel/pages.ts';

export type ListType = 'FACE' | 'DOCUMENT_NUMBER' | 'EMAIL';
export type ListRow = {
  id: string;
  environment: Environment;
  name: string;
  name_folded: string;
  description: string | null;
  type: ListType;
  status: 'ACTIVE' | 'INACTIVE';
  max_size: number;
  num_members: number;
  expire_after: string | null;
  revision: number;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
};

const COLUMNS = `id, environment, name, name_folded, description, type, status, max_size, num_members, expire_after,
  revision, created_at, created_by, last_updated_at, last_updated_by`;

/** The properties a list can be sorted by. */
export const LIST_SORTABLE = {
  id: 'id',
  name: 'name_folded',
  type: 'type',
  status: 'status',
  numMembers: 'num_members',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;

const ONE = sql(`SELECT ${COLUMNS} FROM watchlists WHERE tenant_id = $1 AND environment = $2 AND id = $3`);
const LOCKED = sql(`SELECT ${COLUMNS} FROM watchlists WHERE tenant_id = $1 AND environment = $2 AND id = $3
  ${FOR_UPDATE}`);
const NAMED = sql(`SELECT ${COLUMNS} FROM watchlists WHERE tenant_id = $1 AND environment = $2 AND name = $3`);
const ANY_NAMED = sql('SELECT id FROM watchlists WHERE tenant_id = $1 AND name = $2 LIMIT 1');
const COUNT = sql('SELECT count(*) AS total FROM watchlists WHERE tenant_id = $1 AND environment = $2');
const ADD = sql(`INSERT INTO watchlists (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`);
const CHANGE = sql(`UPDATE watchlists SET name = $3, name_folded = $4, description = $5, status = $6, max_size = $7,
  expire_after = $8, last_updated_at = $9, last_updated_by = $10 WHERE tenant_id = $1 AND id = $2`);
const NEXT = sql(`UPDATE watchlists SET num_members = num_members + $3, revision = revision + 1
  WHERE tenant_id = $1 AND id = $2 RETURNING revision`);
const REMOVE = sql('DELETE FROM watchlists WHERE tenant_id = $1 AND id = $2');

type Place = { environment: Environment; id: string };

export function findList(db: TenantReads, { environment, id }: Place): Promise<ListRow | undefined> {
  return db.get<ListRow>(ONE, [db.tenantId, environment, id]);
}

/** Nobody else can change it or its members until the transaction ends. */
export function findListForUpdate(tx: TenantTx, { environment, id }: Place): Promise<ListRow | undefined> {
  return tx.get<ListRow>(LOCKED, [tx.tenantId, environment, id]);
}

export function findListNamed(db: TenantReads, environment: Environment, name: string): Promise<ListRow | undefined> {
  return db.get<ListRow>(NAMED, [db.tenantId, environment, name]);
}

/** Whether a definition, which works in both environments, may name it. */
export async function isListName(db: TenantReads, name: string): Promise<boolean> {
  return (await db.get(ANY_NAMED, [db.tenantId, name])) !== undefined;
}

export async function countLists(db: TenantReads, environment: Environment): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0;
}

export async function addList(tx: TenantTx, row: ListRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.environment, row.name, row.name_folded, row.description, row.type, row.status],
    ...[row.max_size, row.num_members, row.expire_after, row.revision, row.created_at, row.created_by],
    ...[row.last_updated_at, row.last_updated_by],
  ]);
}

export async function changeList(tx: TenantTx, row: ListRow): Promise<void> {
  await tx.run(CHANGE, [
    ...[tx.tenantId, row.id, row.name, row.name_folded, row.description, row.status, row.max_size],
    ...[row.expire_after, row.last_updated_at, row.last_updated_by],
  ]);
}

/** The revision of a change of the members, of whom there are then so many more. The list is locked. */
export async function nextRevision(tx: TenantTx, id: string, moreMembers: number): Promise<number> {
  const next = await tx.get<{ revision: number }>(NEXT, [tx.tenantId, id, moreMembers]);
  if (!next) throw new Error('a watchlist that was locked is gone');
  return next.revision;
}

export async function removeList(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

const OLDEST = sql('SELECT min(created_at) AS at FROM watchlists WHERE tenant_id = $1');
const AMONG = sql(`SELECT id, environment FROM watchlists WHERE tenant_id = $1 AND id ${inJson('$2')}`);

/** When the first list was made that is still there. There are few. */
export async function oldestList(db: TenantReads): Promise<number | undefined> {
  return (await db.get<{ at: number | null }>(OLDEST, [db.tenantId]))?.at ?? undefined;
}

/** Those of some lists that are there, in whichever environment. */
export function listsAmong(db: TenantReads, ids: readonly string[]): Promise<Place[]> {
  return db.all<Place>(AMONG, [db.tenantId, JSON.stringify(ids)]);
}

type Filter = { environment: Environment; pattern: string | undefined; type: ListType | undefined };

export async function pageLists(
  db: TenantReads,
  { environment, pattern, type }: Filter,
  { orderBy, size, offset }: Paging,
): Promise<{ rows: ListRow[]; total: number }> {
  const where = `tenant_id = $1 AND environment = $2 AND name_folded LIKE $3 ESCAPE '\\' AND (type = $4 OR $4 = '')`;
  const values = [db.tenantId, environment, pattern ?? '%', type ?? ''];
  const counted = await db.get<{ total: number }>(
    unprepared(`SELECT count(*) AS total FROM watchlists WHERE ${where}`),
    values,
  );
  const page = unprepared(
    `SELECT ${COLUMNS} FROM watchlists WHERE ${where} ORDER BY ${orderBy} LIMIT $5 + 0 OFFSET $6 + 0`,
  );
  return { rows: await db.all<ListRow>(page, [...values, size, offset]), total: counted?.total ?? 0 };
}
