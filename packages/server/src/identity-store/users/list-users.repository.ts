import { type TenantReads, unprepared, type Value } from '../../db/db.ts';
import { pageStatement } from '../../db/kept-statement.ts';
import type { Paging } from '../../kernel/pages.ts';
import type { User } from './user-view.ts';
import { countUsers, USER_COLUMNS, type UserRow } from './users.repository.ts';

/** The properties a list can be sorted by: those that an index is in the order of. */
export const SORTABLE = { id: 'id', createdDtm: 'id', extId: 'ext_id_folded' } as const;

/** Counting goes no further: whoever filters wants the first pages. */
export const COUNT_CAP = 10_000;

export type UserFilter = {
  readonly storeId: string;
  /** A LIKE pattern, folded. */
  readonly pattern: string | undefined;
  readonly status: User['status'] | undefined;
  readonly now: number;
};

export async function pageUsers(
  db: TenantReads,
  filter: UserFilter,
  paging: Paging,
): Promise<{ rows: UserRow[]; total: number }> {
  const values: Value[] = [db.tenantId, filter.storeId];
  const where = conditionsOf(filter, values);
  const at = values.length;
  const text = `SELECT ${USER_COLUMNS} FROM identity_users WHERE tenant_id = $1 AND store_id = $2${where}
    ORDER BY ${paging.orderBy} LIMIT $${at + 1} + 0 OFFSET $${at + 2} + 0`;
  // Lists without a filter, of few orders, are kept prepared.
  const statement = where === '' ? pageStatement(paging, text) : unprepared(text);
  const rows = await db.all<UserRow>(statement, [...values, paging.size, paging.offset]);
  if (where === '') return { rows, total: await countUsers(db, filter.storeId) };
  const count = unprepared(`SELECT count(*) AS total FROM (SELECT 1 FROM identity_users
    WHERE tenant_id = $1 AND store_id = $2${where} LIMIT ${COUNT_CAP}) AS counted`);
  return { rows, total: (await db.get<{ total: number }>(count, values))?.total ?? 0 };
}

function conditionsOf({ pattern, status, now }: UserFilter, values: Value[]): string {
  const given = (value: Value) => `$${values.push(value)}`;
  return [
    ...(pattern === undefined ? [] : [extIdLike(pattern, given)]),
    ...(status === undefined ? [] : [statusIs(status, now, given)]),
  ]
    .map((condition) => ` AND ${condition}`)
    .join('');
}

/** A pattern that begins with plain text, as most do, is a range of the index. */
function extIdLike(pattern: string, given: (value: Value) => string): string {
  const prefix = /^[^%_\\]*/.exec(pattern)?.[0] ?? '';
  if (prefix === pattern) return `ext_id_folded = ${given(pattern)}`;
  const like = `ext_id_folded LIKE ${given(pattern)} ESCAPE '\\'`;
  if (prefix === '') return like;
  return `ext_id_folded >= ${given(prefix)} AND ext_id_folded < ${given(`${prefix}\u{10ffff}`)} AND ${like}`;
}

function statusIs(status: User['status'], now: number, given: (value: Value) => string): string {
  if (status === 'TEMP_LOCKED') return `status = 'ACTIVE' AND temp_lock_until > ${given(now)}`;
  // Said twice, because SQLite takes the index of those that are not active only where it reads its condition.
  if (status !== 'ACTIVE') return `status <> 'ACTIVE' AND status = ${given(status)}`;
  return `status = 'ACTIVE' AND (temp_lock_until IS NULL OR temp_lock_until <= ${given(now)})`;
}
