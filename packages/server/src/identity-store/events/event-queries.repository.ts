import { sql, type TenantReads, type TenantTx, unprepared, type Value } from '../../db/db.ts';
import { inJson, withoutIndex } from '../../db/sql/dialect.ts';
import { type EventRow, identityEventsTable } from './identity-events.table.ts';

/** Queries over events, and the search behind them. */
export type QueryStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED';
type Environment = EventRow['environment'];

export type QueryRow = {
  id: string;
  environment: Environment;
  status: QueryStatus;
  /** A JSON object: an `EventFilter`. */
  filter: string;
  size: number;
  /** A JSON array of ids. */
  first_page: string | null;
  next_id: string | null;
  created_at: number;
  expires_at: number;
};

const COLUMNS = 'id, environment, status, filter, size, first_page, next_id, created_at, expires_at';
const ADD = sql(`INSERT INTO event_queries (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
const ONE = sql(`SELECT ${COLUMNS} FROM event_queries WHERE tenant_id = $1 AND id = $2`);
const COUNT = sql('SELECT count(*) AS total FROM event_queries WHERE tenant_id = $1 AND environment = $2');
const SET_STATUS = sql('UPDATE event_queries SET status = $3 WHERE tenant_id = $1 AND id = $2');
const SUCCEED = sql(`UPDATE event_queries SET status = 'SUCCEEDED', first_page = $3, next_id = $4
  WHERE tenant_id = $1 AND id = $2`);
const REMOVE_EXPIRED = sql(`DELETE FROM event_queries WHERE tenant_id = $1 AND id IN (
    SELECT id FROM event_queries WHERE tenant_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3)`);

export async function addQuery(tx: TenantTx, row: QueryRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.environment, row.status, row.filter, row.size, row.first_page, row.next_id],
    ...[row.created_at, row.expires_at],
  ]);
}

export function findQuery(db: TenantReads, id: string): Promise<QueryRow | undefined> {
  return db.get<QueryRow>(ONE, [db.tenantId, id]);
}

/** Of both environments. */
export async function countQueries(db: TenantReads, environment: Environment): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0;
}

export async function setQueryStatus(tx: TenantTx, id: string, status: QueryStatus): Promise<void> {
  await tx.run(SET_STATUS, [tx.tenantId, id, status]);
}

export async function completeQuery(
  tx: TenantTx,
  id: string,
  { ids, nextId }: { ids: readonly string[]; nextId: string | null },
): Promise<void> {
  await tx.run(SUCCEED, [tx.tenantId, id, JSON.stringify(ids), nextId]);
}

export function removeExpiredQueries(tx: TenantTx, now: number, limit: number): Promise<number> {
  return tx.run(REMOVE_EXPIRED, [tx.tenantId, now, limit]);
}

/** The columns that are compared, and what with. */
export type EventFilter = {
  readonly exact: Readonly<Partial<Record<ExactColumn, string | number>>>;
  /** LIKE patterns, folded. */
  readonly like: Readonly<Partial<Record<LikeColumn, string>>>;
};
export type ExactColumn =
  | 'parent_process_defn_id'
  | 'parent_process_defn_version'
  | 'parent_process_instance_id'
  | 'child_process_defn_version'
  | LikeColumn;
export type LikeColumn = 'parent_process_defn_folded' | 'child_process_defn_folded' | 'child_process_tag_folded';

export type EventRange = {
  readonly environment: Environment;
  /** Events whose ids are less than `below` and not less than `from`. */
  readonly below: string;
  readonly from: string;
  readonly limit: number;
};

/** Those that few events share come first. */
const BY_CHOICE = [
  ...['parent_process_instance_id', 'parent_process_defn_id', 'child_process_tag_folded'],
  ...['child_process_defn_folded', 'parent_process_defn_folded', 'child_process_defn_version'],
  'parent_process_defn_version',
] as ExactColumn[];

const OF_RANGE = 'tenant_id = $1 AND environment = $2 AND id < $3 AND id >= $4';

/** Ids alone, the newest first: with one exact filter its index has them, and no event has to be read. */
export async function searchEvents(
  db: TenantReads,
  { exact, like }: EventFilter,
  { environment, below, from, limit }: EventRange,
): Promise<string[]> {
  const values: Value[] = [db.tenantId, environment, below, from];
  const given = (value: Value) => `$${values.push(value)}`;
  const best = BY_CHOICE.find((column) => exact[column] !== undefined);
  const conditions = [
    // SQLite would rather walk all events than choose between two indexes it knows nothing of: it is told which to take.
    ...Object.entries(exact).map(
      ([column, value]) => ` AND ${column === best ? column : withoutIndex(column)} = ${given(value)}`,
    ),
    ...Object.entries(like).map(([column, pattern]) => ` AND ${column} LIKE ${given(pattern)} ESCAPE '\\'`),
  ];
  const text = `SELECT id FROM identity_events WHERE ${OF_RANGE}${conditions.join('')}
    ORDER BY id DESC LIMIT ${given(limit)} + 0`;
  return (await db.all<{ id: string }>(unprepared(text), values)).map(({ id }) => id);
}

const STEP_BACK = sql(`SELECT id FROM identity_events WHERE tenant_id = $1 AND environment = $2 AND id < $3
  ORDER BY id DESC LIMIT 1 OFFSET $4 + 0`);

/** The id that stands so many events before another; nothing if there are not so many. */
export async function stepBack(
  db: TenantReads,
  { environment, below, events }: { environment: Environment; below: string; events: number },
): Promise<string | undefined> {
  return (await db.get<{ id: string }>(STEP_BACK, [db.tenantId, environment, below, events - 1]))?.id;
}

const OF_IDS =
  sql(`SELECT ${identityEventsTable.columns.join(', ')} FROM identity_events WHERE tenant_id = $1 AND environment = $2 AND id ${inJson('$3')}
  ORDER BY id DESC`);

/** Those that retention has left. */
export function eventsOfIds(
  db: TenantReads,
  { environment, ids }: { environment: Environment; ids: readonly string[] },
): Promise<EventRow[]> {
  return db.all<EventRow>(OF_IDS, [db.tenantId, environment, JSON.stringify(ids)]);
}
