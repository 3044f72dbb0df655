import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { listOf } from '../../db/sql/list.ts';
import { MOST_APART_MS } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import { rowsInOrder } from '../../kernel/in-slices.ts';
import { likeMatch } from '../../kernel/like-match.ts';
import type { Paging } from '../../kernel/pages.ts';
import { MAX_SCANNED, scanRows } from '../../kernel/scan-rows.ts';
import { lineOf } from '../../kernel/take-turns.ts';
import { codeOfExtId, openUsers } from './ext-id-seal.ts';
import type { User } from './user-view.ts';
import { countUsers } from './users.repository.ts';
import { type UserRow, users } from './users.table.ts';

/** The properties by which a list can be sorted. External ids are sealed, so the server sorts by them in memory. */
export const SORTABLE = { id: 'id', createdDtm: 'id', extId: 'ext_id_folded' } as const;

/** Totals above this number are not counted: a filtered list is read only on its first pages. */
export const COUNT_CAP = 10_000;

/** Shorter prefixes have no code. */
const SHORTEST_BEGINNING = 3;

const FAULT = {
  pointer: '/query',
  message: `the store has more than ${MAX_SCANNED} users: filter by a whole extId, or by three characters and more with one % behind them, and do not sort by extId`,
};

export type UserFilter = {
  readonly environment: Environment;
  readonly storeId: string;
  /** A LIKE pattern, folded. */
  readonly pattern: string | undefined;
  readonly status: User['status'] | undefined;
  readonly now: number;
};

type UserPage = { rows: UserRow[]; total: number };

const OF_STORE = 'WHERE tenant_id = :tenant_id AND store_id = :store_id';
const BY_STATUS = {
  lockedAt: `AND status = 'ACTIVE' AND temp_lock_until > :lockedAt
    AND (temp_lock_at IS NULL OR temp_lock_at <= :lockedAt + ${MOST_APART_MS})`,
  activeAt: `AND status = 'ACTIVE' AND (temp_lock_until IS NULL OR temp_lock_until <= :activeAt
    OR temp_lock_at > :activeAt + ${MOST_APART_MS})`,
  // Both conditions are needed: SQLite uses the partial index of users that are not active only if the query repeats
  // its condition.
  status: "AND status <> 'ACTIVE' AND status = :status",
} as const;
const LIST = listOf<UserRow>()(users.columns, `FROM identity_users ${OF_STORE}`, {
  maxCount: COUNT_CAP,
  byId: { from: 'FROM identity_users WHERE tenant_id = :tenant_id', id: 'id' },
  filters: {
    whole: 'AND ext_id_folded = :whole',
    from: 'AND ext_id_folded >= :from AND ext_id_folded < :below',
    ...BY_STATUS,
  },
});
const SCANNED = ['id', 'ext_id', 'ext_id_folded', 'ext_sealed'] as const;
const SCAN = users.list(SCANNED, `${OF_STORE} AND id > :after`, BY_STATUS);
const AMONG = users.select(users.columns, `${OF_STORE} AND id ${inList(':ids')}`);

export async function pageUsers(db: TenantReads, filter: UserFilter, paging: Paging): Promise<UserPage> {
  const like = filter.pattern === undefined ? undefined : likeMatch(filter.pattern);
  const { exact, beginning = '' } = like ?? {};
  const isCoded = exact !== undefined || [...beginning].length >= SHORTEST_BEGINNING;
  if ((like && !isCoded) || paging.orderBy.includes(SORTABLE.extId)) {
    return scanUsers(db, filter, paging, like?.matches ?? (() => true));
  }
  const code = like && (await codeOfExtId(db, exact ?? beginning, exact !== undefined));
  if (like && code === undefined) return { rows: [], total: 0 };
  const whole = exact === undefined ? undefined : code;
  const from = exact === undefined ? code : undefined;
  const params = { store_id: filter.storeId, whole, from, below: from && `${from}\u{10ffff}`, ...statusParams(filter) };
  const rows = await openUsers(db, await LIST.page(db, params, paging));
  const isFiltered = code !== undefined || filter.status !== undefined;
  return { rows, total: isFiltered ? await LIST.count(db, params) : await countUsers(db, filter.storeId) };
}

type ScannedUser = Pick<UserRow, (typeof SCANNED)[number]>;

/** Decrypts the external id of every user in order to filter and sort; reads the other columns only for the page. */
async function scanUsers(
  db: TenantReads,
  filter: UserFilter,
  paging: Paging,
  matches: (folded: string) => boolean,
): Promise<UserPage> {
  const batch = async (after: string, limit: number) => {
    const params = { store_id: filter.storeId, after, ...statusParams(filter) };
    return openUsers(db, await SCAN.page(db, params, { orderBy: 'id', sorts: 0, size: limit, offset: 0 }));
  };
  const isMatch = ({ ext_id, ext_id_folded }: ScannedUser) =>
    filter.pattern === undefined || (ext_id !== null && matches(ext_id_folded));
  const { ids, total } = await scanRows(
    lineOf(db.tenantId, filter.environment),
    { batch, matches: isMatch, fault: FAULT },
    paging,
  );
  const rows = await rowsInOrder(db, ids, (slice) => AMONG.all(db, { store_id: filter.storeId, ids: slice }));
  return { rows: await openUsers(db, rows), total };
}

/** At most one of these parameters is set. */
function statusParams({ status, now }: UserFilter) {
  if (status === undefined) return {};
  if (status === 'TEMP_LOCKED') return { lockedAt: now };
  return status === 'ACTIVE' ? { activeAt: now } : { status };
}
