import { type TenantReads, unprepared, type Value } from '../../db/db.ts';
import { inJson } from '../../db/sql/dialect.ts';
import { pageStatement } from '../../db/sql/kept-statement.ts';
import { likeMatch } from '../../kernel/like-match.ts';
import type { Paging } from '../../kernel/pages.ts';
import { MAX_SCANNED, scanSealed } from '../../kernel/scan-sealed.ts';
import { codeOfExtId, openUsers } from './ext-id-seal.ts';
import type { User } from './user-view.ts';
import { countUsers, USER_COLUMNS, type UserRow } from './users.repository.ts';

/** The properties a list can be sorted by. External ids are sealed, so a list in their order is put in order here. */
export const SORTABLE = { id: 'id', createdDtm: 'id', extId: 'ext_id_folded' } as const;

/** Counting goes no further: whoever filters wants the first pages. */
export const COUNT_CAP = 10_000;

/** Shorter beginnings have no code of their own. */
const SHORTEST_BEGINNING = 3;

const FAULT = {
  pointer: '/query',
  message: `the store has more than ${MAX_SCANNED} users: filter by a whole extId, or by three characters and more with one % behind them, and do not sort by extId`,
};

export type UserFilter = {
  readonly storeId: string;
  /** A LIKE pattern, folded. */
  readonly pattern: string | undefined;
  readonly status: User['status'] | undefined;
  readonly now: number;
};

type Found = { rows: UserRow[]; total: number };

export async function pageUsers(db: TenantReads, filter: UserFilter, paging: Paging): Promise<Found> {
  const like = filter.pattern === undefined ? undefined : likeMatch(filter.pattern);
  const { exact, beginning = '' } = like ?? {};
  const isCoded = exact !== undefined || [...beginning].length >= SHORTEST_BEGINNING;
  if ((like && !isCoded) || paging.orderBy.includes(SORTABLE.extId)) {
    return scanUsers(db, filter, paging, like?.matches ?? (() => true));
  }
  const code = like && (await codeOfExtId(db, exact ?? beginning, exact !== undefined));
  if (like && code === undefined) return { rows: [], total: 0 };
  const values: Value[] = [db.tenantId, filter.storeId];
  const given = (value: Value) => `$${values.push(value)}`;
  const coded =
    code === undefined
      ? ''
      : exact !== undefined
        ? ` AND ext_id_folded = ${given(code)}`
        : ` AND ext_id_folded >= ${given(code)} AND ext_id_folded < ${given(`${code}\u{10ffff}`)}`;
  const where = `${coded}${statusCondition(filter, given)}`;
  const at = values.length;
  const text = `SELECT ${USER_COLUMNS} FROM identity_users WHERE tenant_id = $1 AND store_id = $2${where}
    ORDER BY ${paging.orderBy} LIMIT $${at + 1} + 0 OFFSET $${at + 2} + 0`;
  // Lists without a filter, of few orders, are kept prepared.
  const statement = where === '' ? pageStatement(paging, text) : unprepared(text);
  const rows = await openUsers(db, await db.all<UserRow>(statement, [...values, paging.size, paging.offset]));
  if (where === '') return { rows, total: await countUsers(db, filter.storeId) };
  const count = unprepared(`SELECT count(*) AS total FROM (SELECT 1 FROM identity_users
    WHERE tenant_id = $1 AND store_id = $2${where} LIMIT ${COUNT_CAP}) AS counted`);
  return { rows, total: (await db.get<{ total: number }>(count, values))?.total ?? 0 };
}

type Scanned = Pick<UserRow, 'id' | 'ext_id' | 'ext_id_folded'>;

/** Opens the external id of every user, and reads the others of the page alone. */
async function scanUsers(
  db: TenantReads,
  filter: UserFilter,
  paging: Paging,
  matches: (folded: string) => boolean,
): Promise<Found> {
  const batch = async (after: string, limit: number) => {
    const values: Value[] = [db.tenantId, filter.storeId, after, limit];
    const where = statusCondition(filter, (value) => `$${values.push(value)}`);
    const statement = unprepared(`SELECT id, ext_id, ext_id_folded, ext_sealed FROM identity_users
      WHERE tenant_id = $1 AND store_id = $2 AND id > $3${where} ORDER BY id LIMIT $4 + 0`);
    return openUsers(db, await db.all<Scanned>(statement, values));
  };
  const isFound = ({ ext_id, ext_id_folded }: Scanned) =>
    filter.pattern === undefined || (ext_id !== null && matches(ext_id_folded));
  const { ids, total } = await scanSealed(db.tenantId, { batch, matches: isFound, fault: FAULT }, paging);
  const statement = unprepared(
    `SELECT ${USER_COLUMNS} FROM identity_users WHERE tenant_id = $1 AND store_id = $2 AND id ${inJson('$3')}`,
  );
  const rows = await db.all<UserRow>(statement, [db.tenantId, filter.storeId, JSON.stringify(ids)]);
  const byId = new Map((await openUsers(db, rows)).map((row) => [row.id, row]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), total };
}

function statusCondition({ status, now }: UserFilter, given: (value: Value) => string): string {
  if (status === undefined) return '';
  if (status === 'TEMP_LOCKED') return ` AND status = 'ACTIVE' AND temp_lock_until > ${given(now)}`;
  // Said twice, because SQLite takes the index of those that are not active only where it reads its condition.
  if (status !== 'ACTIVE') return ` AND status <> 'ACTIVE' AND status = ${given(status)}`;
  return ` AND status = 'ACTIVE' AND (temp_lock_until IS NULL OR temp_lock_until <= ${given(now)})`;
}
