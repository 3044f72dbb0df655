import { getPersonalSeal, type TenantReads, type TenantTx } from '../db/db.ts';
import { FOR_UPDATE, inList } from '../db/sql/dialect.ts';
import { query, statement } from '../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, real, TRACKED, table, text } from '../db/sql/table.ts';
import type { Environment } from '../kernel/environment.ts';
import { rowsInOrder, serveOthers } from '../kernel/in-slices.ts';
import { likeMatch } from '../kernel/like-match.ts';
import type { Paging } from '../kernel/pages.ts';
import { MAX_SCANNED, scanRows } from '../kernel/scan-rows.ts';
import { lineOf } from '../kernel/take-turns.ts';

const members = table('watchlist_members', {
  tenant_id: text(),
  watchlist_id: text(),
  id: text(),
  revision: integer(),
  /** Folded in a row that is to be written. In the database, and so in a row that was read, they are codes. */
  first_folded: text(),
  last_folded: text(),
  details: bytes(),
  template: optional(bytes()),
  algorithm: optional(text()),
  quality: optional(real()),
  value_hash: optional(bytes()),
  expires_at: optional(integer()),
  ...TRACKED,
});
const { columns } = members;
export type MemberRow = RowOf<typeof members>;

export const MEMBER_SORTABLE = {
  id: 'id',
  firstName: 'first_folded',
  lastName: 'last_folded',
  createdDtm: 'id',
  lastUpdatedDtm: 'last_updated_at',
} as const;

const BY_ID = 'WHERE tenant_id = :tenant_id AND watchlist_id = :watchlist_id AND id = :id';
const OF_LIST = 'tenant_id = :tenant_id AND watchlist_id = :listId';
/** Excludes expired members, whether or not they were purged. */
const UNEXPIRED = `${OF_LIST} AND (expires_at IS NULL OR expires_at > :now)` as const;
const isUnexpired = ({ expires_at }: Pick<MemberRow, 'expires_at'>, now: number) =>
  expires_at === null || expires_at > now;
const ADD = members.insert();
const CHANGE = members.update(
  [
    'revision',
    'first_folded',
    'last_folded',
    'details',
    'template',
    'algorithm',
    'quality',
    'expires_at',
    'last_updated_at',
    'last_updated_by',
  ],
  BY_ID,
);
const REMOVE_EXPIRED = query<{
  id: string;
}>()(`DELETE FROM watchlist_members WHERE tenant_id = :tenant_id AND watchlist_id = :listId AND id IN
  (SELECT id FROM watchlist_members WHERE tenant_id = :tenant_id AND watchlist_id = :listId AND expires_at <= :now
  ORDER BY expires_at LIMIT :limit + 0) RETURNING id`);

export const findMember = members.select(columns, `WHERE ${UNEXPIRED} AND id = :id`).get;

export const findMemberOfValue = members.select(columns, `WHERE ${UNEXPIRED} AND value_hash = :hash`).get;

const KIND = 'members';
/** One statement over all members would block every other request on SQLite. */
const KEYS_AT_ONCE = 1000;

type FoldedNames = Pick<MemberRow, 'first_folded' | 'last_folded'>;

/** The codes of folded names, by which members are found. */
async function codedNames(tx: TenantTx, { first_folded, last_folded }: FoldedNames): Promise<FoldedNames> {
  const seal = await getPersonalSeal(tx);
  const coded = (folded: string) => (folded === '' ? '' : seal.wholeCodeOf(KIND, folded));
  return { first_folded: coded(first_folded), last_folded: coded(last_folded) };
}

export async function addMember(tx: TenantTx, row: MemberRow): Promise<void> {
  await ADD.run(tx, { ...row, ...(await codedNames(tx, row)) });
}

export async function changeMember(tx: TenantTx, row: MemberRow): Promise<void> {
  await CHANGE.run(tx, { ...row, ...(await codedNames(tx, row)) });
}

const AFTER =
  query<StoredMember>()(`SELECT watchlist_id, id, details FROM watchlist_members WHERE tenant_id = :tenant_id
  AND (watchlist_id > :listId OR (watchlist_id = :listId AND id > :id)) ORDER BY watchlist_id, id LIMIT :limit + 0
  ${FOR_UPDATE}`);
const CODE = members.update(['first_folded', 'last_folded'], BY_ID);

export type StoredMember = Pick<MemberRow, 'watchlist_id' | 'id' | 'details'>;

export function membersAfter(tx: TenantTx, [listId, id]: readonly [string, string], limit: number) {
  return AFTER.all(tx, { listId, id, limit });
}

export async function codeNames(tx: TenantTx, { watchlist_id, id }: StoredMember, names: FoldedNames): Promise<void> {
  await CODE.run(tx, { watchlist_id, id, ...(await codedNames(tx, names)) });
}

export const removeMember = members.delete(
  'WHERE tenant_id = :tenant_id AND watchlist_id = :listId AND id = :id',
).changes;

/** Removes up to `limit` members of a list. Resolves to the number of removed members. */
export const removeFirstMembers = statement(`DELETE FROM watchlist_members WHERE tenant_id = :tenant_id
  AND watchlist_id = :listId AND id IN (SELECT id FROM watchlist_members WHERE tenant_id = :tenant_id
  AND watchlist_id = :listId ORDER BY id LIMIT :limit + 0)`).run;

/** Removes up to `limit` expired members of a list, and returns their ids. */
export async function removeExpired(
  tx: TenantTx,
  { listId, now, limit }: { listId: string; now: number; limit: number },
): Promise<string[]> {
  return (await REMOVE_EXPIRED.all(tx, { listId, now, limit })).map(({ id }) => id);
}

/** Finds a list with an expired member. */
export const findExpired = query<{
  watchlist_id: string;
  environment: Environment;
}>()(`SELECT m.watchlist_id, l.environment FROM watchlist_members m
  JOIN watchlists l ON l.tenant_id = m.tenant_id AND l.id = m.watchlist_id
  WHERE m.tenant_id = :tenant_id AND m.expires_at <= :now LIMIT 1`).get;

export type FaceKey = { id: string; revision: number; algorithm: string; expires_at: number | null };

type StoredKey = Pick<MemberRow, keyof FaceKey>;
const isFace = (key: StoredKey): key is FaceKey => key.algorithm !== null;

const FACE_KEYS = query<StoredKey>()(`SELECT id, revision, algorithm, expires_at FROM watchlist_members
  WHERE ${OF_LIST} AND id > :after ORDER BY id LIMIT :limit + 0`);

/** Reads the keys of all faces of a list, without their templates. */
export async function faceKeys(db: TenantReads, { listId, now }: { listId: string; now: number }): Promise<FaceKey[]> {
  const keys: FaceKey[] = [];
  for (let after = ''; ; ) {
    const some = await FACE_KEYS.all(db, { listId, after, limit: KEYS_AT_ONCE });
    keys.push(...some.filter((key) => isUnexpired(key, now)).filter(isFace));
    if (some.length < KEYS_AT_ONCE) return keys;
    after = some.at(-1)?.id ?? '';
    await serveOthers(db);
  }
}

export const templatesOf = query<{ id: string; template: Uint8Array }>()(
  `SELECT id, template FROM watchlist_members WHERE tenant_id = :tenant_id AND watchlist_id = :listId
  AND id ${inList(':ids')}`,
).all;

type Filter = {
  environment: Environment;
  listId: string;
  /** Includes expired members that were not purged yet. */
  numMembers: number;
  /** A LIKE pattern, folded. */
  pattern: string | undefined;
  now: number;
  /** The folded names in the details of a member. */
  namesOf(member: StoredMember): FoldedNames;
};
type MemberPage = { rows: MemberRow[]; total: number };

const SHORTEST_BEGINNING = 3;
/** Members that one statement passes over before those of a page. */
const MAX_PASSED_OVER = 5000;
const FAULT = {
  pointer: '/query',
  message: `the list has more than ${MAX_SCANNED} members: filter by a whole name, or by three characters and more with one % behind them, and do not sort by names`,
};

const LIST = members.list(columns, `WHERE ${UNEXPIRED}`);
const EXPIRED = members.count(`WHERE ${OF_LIST} AND expires_at <= :now`);

/** A page of members. There may be very many, so they are read a few at a time if no index has the list. */
export async function pageMembers(db: TenantReads, filter: Filter, paging: Paging): Promise<MemberPage> {
  const { listId, numMembers, pattern, now } = filter;
  const like = pattern === undefined ? undefined : likeMatch(pattern);
  const { exact, beginning = '' } = like ?? {};
  const isCoded = exact !== undefined || [...beginning].length >= SHORTEST_BEGINNING;
  if ((like && !isCoded) || paging.orderBy.includes('_folded')) return scanMembers(db, filter, paging);
  const expiredCount = await EXPIRED(db, { listId, now });
  if (!like && isNear(paging, expiredCount)) {
    const rows = await LIST.page(db, { listId, now }, paging);
    return { rows, total: Math.max(0, numMembers - expiredCount) };
  }
  if (!like) return scanPlain(db, filter, paging, () => true);
  const seal = await db.personal();
  if (!seal) return { rows: [], total: 0 };
  const searched = exact === undefined ? seal.codeOf(KIND, beginning) : seal.wholeCodeOf(KIND, exact);
  const isFound = (code: string) => (exact === undefined ? code.startsWith(searched) : code === searched);
  return scanPlain(db, filter, paging, (row) => isFound(row.first_folded) || isFound(row.last_folded));
}

/** Whether an index has the page near its beginning, with few members to pass over. */
function isNear({ orderBy, offset }: Paging, expiredCount: number): boolean {
  return orderBy.startsWith('id ') && offset + expiredCount <= MAX_PASSED_OVER;
}

type PlainMember = Pick<MemberRow, 'id' | 'first_folded' | 'last_folded' | 'expires_at' | 'last_updated_at'>;

const PLAIN = query<PlainMember>()(`SELECT id, first_folded, last_folded, expires_at, last_updated_at
  FROM watchlist_members WHERE ${OF_LIST} AND id > :after ORDER BY id LIMIT :limit + 0`);

/** Reads all members, but opens none: codes of names can be compared. */
async function scanPlain(
  db: TenantReads,
  { environment, listId, now }: Filter,
  paging: Paging,
  isFound: (row: PlainMember) => boolean,
): Promise<MemberPage> {
  const batch = (after: string, limit: number) => PLAIN.all(db, { listId, after, limit });
  const matches = (row: PlainMember) => isUnexpired(row, now) && isFound(row);
  const { ids, total } = await scanRows(lineOf(db.tenantId, environment), { batch, matches }, paging);
  return { rows: await rowsInOrder(db, ids, (some) => AMONG.all(db, { listId, now, ids: some })), total };
}

const SCAN = query<OpenedMember>()(`SELECT id, watchlist_id, details, last_updated_at FROM watchlist_members
  WHERE ${UNEXPIRED} AND id > :after ORDER BY id LIMIT :limit + 0`);
const AMONG = members.select(columns, `WHERE ${UNEXPIRED} AND id ${inList(':ids')}`);

type OpenedMember = StoredMember & FoldedNames & Pick<MemberRow, 'last_updated_at'>;

/** Opens the names of every member. The other columns are read only for the page. */
async function scanMembers(db: TenantReads, filter: Filter, paging: Paging): Promise<MemberPage> {
  const { environment, listId, pattern, now, namesOf } = filter;
  const like = pattern === undefined ? undefined : likeMatch(pattern);
  const batch = async (after: string, limit: number) =>
    (await SCAN.all(db, { listId, now, after, limit })).map((row) => ({ ...row, ...namesOf(row) }));
  const matches = ({ first_folded, last_folded }: OpenedMember) =>
    !like || like.matches(first_folded) || like.matches(last_folded);
  const { ids, total } = await scanRows(lineOf(db.tenantId, environment), { batch, matches, fault: FAULT }, paging);
  return { rows: await rowsInOrder(db, ids, (some) => AMONG.all(db, { listId, now, ids: some })), total };
}
