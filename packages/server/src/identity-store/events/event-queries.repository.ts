import { type TenantReads, type TenantTx, unprepared, type Value } from '../../db/db.ts';
import { inList, withoutIndex } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import { type EventRow, identityEventsTable } from './identity-events.table.ts';

/** The stored queries over events, and the search that runs them. */
export type QueryStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED';
type Environment = EventRow['environment'];

const queries = table('event_queries', {
  tenant_id: text(),
  id: text(),
  environment: text<Environment>(),
  status: text<QueryStatus>(),
  /** A JSON object: an `EventFilter`. */
  filter: text(),
  size: integer(),
  /** A JSON array of ids. */
  first_page: optional(text()),
  next_id: optional(text()),
  created_at: integer(),
  expires_at: integer(),
});
const { columns } = queries;
export type QueryRow = RowOf<typeof queries>;

const SUCCEED = queries.update(['status', 'first_page', 'next_id'], 'WHERE tenant_id = :tenant_id AND id = :id');

export const addQuery = queries.insert().run;
export const findQuery = queries.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id').get;

export const countQueries = queries.count('WHERE tenant_id = :tenant_id AND environment = :environment');

export const setQueryStatus = queries.update(['status'], 'WHERE tenant_id = :tenant_id AND id = :id').run;

export async function completeQuery(
  tx: TenantTx,
  id: string,
  { ids, nextId }: { ids: readonly string[]; nextId: string | null },
): Promise<void> {
  await SUCCEED.run(tx, { id, status: 'SUCCEEDED', first_page: JSON.stringify(ids), next_id: nextId });
}

export const removeExpiredQueries = queries.delete(`WHERE tenant_id = :tenant_id AND id IN (
    SELECT id FROM event_queries WHERE tenant_id = :tenant_id AND expires_at <= :now
    ORDER BY expires_at LIMIT :limit)`).run;

/** The conditions of a query: values by column. */
export type EventFilter = {
  readonly exact: Readonly<Partial<Record<ExactColumn, string | number>>>;
  /** LIKE patterns in folded case. */
  readonly like: Readonly<Partial<Record<LikeColumn, string>>>;
  /** Columns that no index has. */
  readonly unindexed?: Readonly<Partial<Record<'type' | 'user_id', string>>>;
  /** A range of time is a range of ids. */
  readonly from?: string | undefined;
  readonly below?: string | undefined;
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

/** The most selective columns come first. */
const BY_CHOICE = [
  'parent_process_instance_id',
  'parent_process_defn_id',
  'child_process_tag_folded',
  'child_process_defn_folded',
  'parent_process_defn_folded',
  'child_process_defn_version',
  'parent_process_defn_version',
] as ExactColumn[];

/** The column whose index is used. */
const bestOf = (exact: EventFilter['exact']) => BY_CHOICE.find((column) => exact[column] !== undefined);

const OF_RANGE = 'tenant_id = $1 AND environment = $2 AND id < $3 AND id >= $4';

/** Returns ids only, the newest first. With one exact filter the index contains them, so no event is read. */
export async function searchEvents(
  db: TenantReads,
  { exact, like, unindexed = {} }: EventFilter,
  { environment, below, from, limit }: EventRange,
): Promise<string[]> {
  const values: Value[] = [db.tenantId, environment, below, from];
  const placeholder = (value: Value) => `$${values.push(value)}`;
  const best = bestOf(exact);
  const conditions = [
    // Only one column may use its index: without statistics, SQLite would otherwise scan all events.
    ...Object.entries(exact).map(
      ([column, value]) => ` AND ${column === best ? column : withoutIndex(column)} = ${placeholder(value)}`,
    ),
    ...Object.entries(like).map(([column, pattern]) => ` AND ${column} LIKE ${placeholder(pattern)} ESCAPE '\\'`),
    ...Object.entries(unindexed).map(([column, value]) => ` AND ${column} = ${placeholder(value)}`),
  ];
  const text = `SELECT id FROM identity_events WHERE ${OF_RANGE}${conditions.join('')}
    ORDER BY id DESC LIMIT ${placeholder(limit)} + 0`;
  return (await db.all<{ id: string }>(unprepared(text), values)).map(({ id }) => id);
}

/**
 * Returns the id that is `events` places before `below`, or undefined if there are fewer events. With an exact filter only
 * events that match the most selective one are counted: the others are not read.
 */
export async function stepBack(
  db: TenantReads,
  { exact }: EventFilter,
  { environment, below, events }: { environment: Environment; below: string; events: number },
): Promise<string | undefined> {
  const best = bestOf(exact);
  const values: Value[] = [db.tenantId, environment, below, events - 1, ...(best ? [exact[best] as Value] : [])];
  const text = `SELECT id FROM identity_events WHERE tenant_id = $1 AND environment = $2 AND id < $3
    ${best ? `AND ${best} = $5` : ''} ORDER BY id DESC LIMIT 1 OFFSET $4 + 0`;
  return (await db.get<{ id: string }>(unprepared(text), values))?.id;
}

/** Returns the events of these ids; events that retention has removed are missing. */
export const eventsOfIds = query<EventRow>()(`SELECT ${identityEventsTable.columns.join(', ')} FROM identity_events
  WHERE tenant_id = :tenant_id AND environment = :environment AND id ${inList(':ids')}
  ORDER BY id DESC`).all;
