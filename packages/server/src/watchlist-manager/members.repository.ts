import { sql, type TenantReads, type TenantTx, unprepared, type Value } from '../db/db.ts';
import { FOR_UPDATE, inJson } from '../db/sql/dialect.ts';
import { likeMatch } from '../kernel/like-match.ts';
import type { Paging } from '../kernel/pages.ts';
import { MAX_SCANNED, scanSealed } from '../kernel/scan-sealed.ts';

export type MemberRow = {
  watchlist_id: string;
  id: string;
  revision: number;
  /** Folded. In the database they are codes, and so they are in a row that was read. */
  first_folded: string;
  last_folded: string;
  details: Uint8Array;
  template: Uint8Array | null;
  algorithm: string | null;
  quality: number | null;
  value_hash: Uint8Array | null;
  expires_at: number | null;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
};

const COLUMNS = `watchlist_id, id, revision, first_folded, last_folded, details, template, algorithm, quality, value_hash,
  expires_at, created_at, created_by, last_updated_at, last_updated_by`;

/** The properties a list can be sorted by. */
export const MEMBER_SORTABLE = {
  id: 'id',
  firstName: 'first_folded',
  lastName: 'last_folded',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;

/** What has expired is gone, whether it was purged already or not. */
const STANDING = 'tenant_id = $1 AND watchlist_id = $2 AND (expires_at IS NULL OR expires_at > $3)';

const ONE = sql(`SELECT ${COLUMNS} FROM watchlist_members WHERE ${STANDING} AND id = $4`);
const OF_VALUE = sql(`SELECT ${COLUMNS} FROM watchlist_members WHERE ${STANDING} AND value_hash = $4`);
const ADD = sql(`INSERT INTO watchlist_members (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`);
const CHANGE = sql(`UPDATE watchlist_members SET revision = $4, first_folded = $5, last_folded = $6, details = $7,
  template = $8, algorithm = $9, quality = $10, expires_at = $11, last_updated_at = $12, last_updated_by = $13
  WHERE tenant_id = $1 AND watchlist_id = $2 AND id = $3`);
const REMOVE = sql('DELETE FROM watchlist_members WHERE tenant_id = $1 AND watchlist_id = $2 AND id = $3');
const REMOVE_EXPIRED = sql(`DELETE FROM watchlist_members WHERE tenant_id = $1 AND watchlist_id = $2 AND id IN
  (SELECT id FROM watchlist_members WHERE tenant_id = $1 AND watchlist_id = $2 AND expires_at <= $3
  ORDER BY id LIMIT $4 + 0) RETURNING id`);
const LISTS_WITH_EXPIRED = sql(`SELECT DISTINCT m.watchlist_id, l.environment FROM watchlist_members m
  JOIN watchlists l ON l.tenant_id = m.tenant_id AND l.id = m.watchlist_id
  WHERE m.tenant_id = $1 AND m.expires_at <= $2`);
const FACES = sql(`SELECT id, revision, algorithm, expires_at FROM watchlist_members
  WHERE ${STANDING} AND template IS NOT NULL`);
const TEMPLATES = sql(
  `SELECT id, template FROM watchlist_members WHERE tenant_id = $1 AND watchlist_id = $2 AND id ${inJson('$3')}`,
);

type Place = { listId: string; id: string; now: number };

export function findMember(db: TenantReads, { listId, id, now }: Place): Promise<MemberRow | undefined> {
  return db.get<MemberRow>(ONE, [db.tenantId, listId, now, id]);
}

export function findMemberOfValue(
  db: TenantReads,
  { listId, hash, now }: { listId: string; hash: Uint8Array; now: number },
): Promise<MemberRow | undefined> {
  return db.get<MemberRow>(OF_VALUE, [db.tenantId, listId, now, hash]);
}

const KIND = 'members';

/** The codes of folded names, by which members are found. */
async function codedNames(tx: TenantTx, { first_folded, last_folded }: FoldedNames): Promise<[string, string]> {
  const seal = await tx.personal();
  if (!seal) throw new Error('there is no key of personal data');
  const coded = (folded: string) => (folded === '' ? '' : seal.wholeCodeOf(KIND, folded));
  return [coded(first_folded), coded(last_folded)];
}

type FoldedNames = Pick<MemberRow, 'first_folded' | 'last_folded'>;

export async function addMember(tx: TenantTx, row: MemberRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.watchlist_id, row.id, row.revision, ...(await codedNames(tx, row)), row.details],
    ...[row.template, row.algorithm, row.quality, row.value_hash, row.expires_at, row.created_at, row.created_by],
    ...[row.last_updated_at, row.last_updated_by],
  ]);
}

export async function changeMember(tx: TenantTx, row: MemberRow): Promise<void> {
  await tx.run(CHANGE, [
    ...[tx.tenantId, row.watchlist_id, row.id, row.revision, ...(await codedNames(tx, row)), row.details],
    ...[row.template, row.algorithm, row.quality, row.expires_at, row.last_updated_at, row.last_updated_by],
  ]);
}

const AFTER = sql(`SELECT watchlist_id, id, details FROM watchlist_members WHERE tenant_id = $1
  AND (watchlist_id > $2 OR (watchlist_id = $2 AND id > $3)) ORDER BY watchlist_id, id LIMIT $4 + 0
  ${FOR_UPDATE}`);
const CODE = sql(`UPDATE watchlist_members SET first_folded = $4, last_folded = $5
  WHERE tenant_id = $1 AND watchlist_id = $2 AND id = $3`);

export type StoredMember = Pick<MemberRow, 'watchlist_id' | 'id' | 'details'>;

export function membersAfter(tx: TenantTx, [listId, id]: readonly [string, string], limit: number) {
  return tx.all<StoredMember>(AFTER, [tx.tenantId, listId, id, limit]);
}

export async function codeNames(tx: TenantTx, { watchlist_id, id }: StoredMember, names: FoldedNames): Promise<void> {
  await tx.run(CODE, [tx.tenantId, watchlist_id, id, ...(await codedNames(tx, names))]);
}

export async function removeMember(tx: TenantTx, listId: string, id: string): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, listId, id])) === 1;
}

/** At most `limit` of them; which there were. */
export async function removeExpired(
  tx: TenantTx,
  { listId, now, limit }: { listId: string; now: number; limit: number },
): Promise<string[]> {
  return (await tx.all<{ id: string }>(REMOVE_EXPIRED, [tx.tenantId, listId, now, limit])).map(({ id }) => id);
}

export function listsWithExpired(
  db: TenantReads,
  now: number,
): Promise<{ watchlist_id: string; environment: 'live' | 'test' }[]> {
  return db.all(LISTS_WITH_EXPIRED, [db.tenantId, now]);
}

export type FaceKey = { id: string; revision: number; algorithm: string; expires_at: number | null };

/** Which faces there are, without the faces. */
export function faceKeys(db: TenantReads, listId: string, now: number): Promise<FaceKey[]> {
  return db.all<FaceKey>(FACES, [db.tenantId, listId, now]);
}

export function templatesOf(
  db: TenantReads,
  listId: string,
  ids: readonly string[],
): Promise<{ id: string; template: Uint8Array }[]> {
  return db.all(TEMPLATES, [db.tenantId, listId, JSON.stringify(ids)]);
}

type Filter = {
  listId: string;
  /** A LIKE pattern, folded. */
  pattern: string | undefined;
  now: number;
  /** The folded names in the details of a member. */
  namesOf(member: StoredMember): FoldedNames;
};
type Found = { rows: MemberRow[]; total: number };

const SHORTEST_BEGINNING = 3;
const FAULT = {
  pointer: '/query',
  message: `the list has more than ${MAX_SCANNED} members: filter by a whole name, or by three characters and more with one % behind them, and do not sort by names`,
};

export async function pageMembers(db: TenantReads, filter: Filter, paging: Paging): Promise<Found> {
  const { listId, pattern, now } = filter;
  const like = pattern === undefined ? undefined : likeMatch(pattern);
  const { exact, beginning = '' } = like ?? {};
  const isCoded = exact !== undefined || [...beginning].length >= SHORTEST_BEGINNING;
  if ((like && !isCoded) || paging.orderBy.includes('_folded')) return scanMembers(db, filter, paging);
  const values: Value[] = [db.tenantId, listId, now];
  const seal = like && (await db.personal());
  if (like && !seal) return { rows: [], total: 0 };
  const given = (value: Value) => `$${values.push(value)}`;
  const whereOf = () => {
    if (!seal) return STANDING;
    if (exact !== undefined) {
      const code = given(seal.wholeCodeOf(KIND, exact));
      return `${STANDING} AND (first_folded = ${code} OR last_folded = ${code})`;
    }
    const code = seal.codeOf(KIND, beginning);
    const [from, below] = [given(code), given(`${code}\u{10ffff}`)];
    const isBetween = (column: string) => `(${column} >= ${from} AND ${column} < ${below})`;
    return `${STANDING} AND (${isBetween('first_folded')} OR ${isBetween('last_folded')})`;
  };
  const where = whereOf();
  const counted = await db.get<{ total: number }>(
    unprepared(`SELECT count(*) AS total FROM watchlist_members WHERE ${where}`),
    [...values],
  );
  const { orderBy, size, offset } = paging;
  const page = unprepared(`SELECT ${COLUMNS} FROM watchlist_members WHERE ${where}
    ORDER BY ${orderBy} LIMIT ${given(size)} + 0 OFFSET ${given(offset)} + 0`);
  return { rows: await db.all<MemberRow>(page, values), total: counted?.total ?? 0 };
}

const SCAN = sql(`SELECT id, watchlist_id, details, created_at, last_updated_at FROM watchlist_members
  WHERE ${STANDING} AND id > $4 ORDER BY id LIMIT $5 + 0`);
const AMONG = sql(`SELECT ${COLUMNS} FROM watchlist_members WHERE ${STANDING} AND id ${inJson('$4')}`);

type Scanned = StoredMember & FoldedNames & Pick<MemberRow, 'created_at' | 'last_updated_at'>;

/** Opens the names of every member, and reads the rest of the page alone. */
async function scanMembers(db: TenantReads, filter: Filter, paging: Paging): Promise<Found> {
  const { listId, pattern, now, namesOf } = filter;
  const like = pattern === undefined ? undefined : likeMatch(pattern);
  const batch = async (after: string, limit: number) =>
    (await db.all<Scanned>(SCAN, [db.tenantId, listId, now, after, limit])).map((row) => ({ ...row, ...namesOf(row) }));
  const matches = ({ first_folded, last_folded }: Scanned) =>
    !like || like.matches(first_folded) || like.matches(last_folded);
  const { ids, total } = await scanSealed(db.tenantId, { batch, matches, fault: FAULT }, paging);
  const rows = await db.all<MemberRow>(AMONG, [db.tenantId, listId, now, JSON.stringify(ids)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), total };
}
