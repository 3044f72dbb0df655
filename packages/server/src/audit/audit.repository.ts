import { type Sql, sql, type TenantReads } from '../db/db.ts';
import { indexedBy, inList } from '../db/sql/dialect.ts';
import { query, statement } from '../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../db/sql/table.ts';
import { findInStretches, STRETCH } from '../kernel/find-in-stretches.ts';
import { rangeBehind } from '../kernel/id-range.ts';
import { ROWS_AT_ONCE, serveOthers, slicesOf } from '../kernel/in-slices.ts';
import { lineOf } from '../kernel/take-turns.ts';

const auditEvents = table('audit_events', {
  tenant_id: text(),
  environment: text<'live' | 'test'>(),
  id: text(),
  at: integer(),
  action: text(),
  actor: text(),
  api_key_id: optional(text()),
  operator_id: optional(text()),
  instance_id: optional(text()),
  item: optional(text()),
  request_id: optional(text()),
  /** The details of a change, as JSON. */
  details: optional(text()),
  address: optional(text()),
});
const COLUMNS = auditEvents.columns.join(', ');
export type AuditRow = RowOf<typeof auditEvents>;

const ADD = auditEvents.insert('ON CONFLICT (tenant_id, environment, id) DO NOTHING');
export const addAuditEvent = ADD.send;
export const addAuditEvents = ADD.sendAll;

export type AuditFilter = {
  environment: 'live' | 'test';
  /** The range of ids: `from` is part of it, `below` is not. */
  from: string;
  below: string;
  instanceId?: string | undefined;
  action?: string | undefined;
  apiKeyId?: string | undefined;
  operatorId?: string | undefined;
};

/**
 * Each filter has an index in the order of ids. A statement uses the index of the first filter that is set, which
 * leaves the fewest events.
 */
const FILTERS = {
  instanceId: { column: 'instance_id', index: 'audit_events_instance' },
  apiKeyId: { column: 'api_key_id', index: 'audit_events_key' },
  operatorId: { column: 'operator_id', index: 'audit_events_operator' },
  action: { column: 'action', index: 'audit_events_action' },
} as const;
type FilterName = keyof typeof FILTERS;
const filtersIn = (filter: AuditFilter) =>
  (Object.keys(FILTERS) as FilterName[]).filter((name) => filter[name] !== undefined);
const statements = new Map<string, Sql>();

function prepared(key: string, make: () => string): Sql {
  let statement = statements.get(key);
  if (!statement) {
    statement = sql(make());
    statements.set(key, statement);
  }
  return statement;
}

/** The conditions and values of a filter, and a name for this combination of filters, of which there are sixteen. */
function conditionsOf(tenantId: string, filter: AuditFilter) {
  const used = filtersIn(filter);
  const [first] = used;
  return {
    name: used.join(' '),
    // Without this, SQLite would read all events of the period.
    table: first ? `audit_events ${indexedBy(FILTERS[first].index)}` : 'audit_events',
    where: [
      'tenant_id = $1 AND environment = $2 AND id >= $3 AND id < $4',
      ...used.map((name, at) => `${FILTERS[name].column} = $${at + 5}`),
    ].join(' AND '),
    values: [tenantId, filter.environment, filter.from, filter.below, ...used.map((name) => filter[name] as string)],
  };
}

type Window = { size: number; offset: number; direction: 'ASC' | 'DESC' };

/**
 * A statement uses the index of one filter only, so the events that match the first filter are searched in stretches.
 */
function findEvents(
  db: TenantReads,
  filter: AuditFilter,
  direction: Window['direction'],
  enough: number,
): Promise<string[]> {
  const { environment, from, below, ...others } = filter;
  const [first] = filtersIn(filter);
  const select = async (what: string, used: AuditFilter, end: string) => {
    const { name, table, where, values } = conditionsOf(db.tenantId, used);
    const statement = prepared(
      `${what} ${direction} ${name}`,
      () => `SELECT id FROM ${table} WHERE ${where} ORDER BY id ${direction} ${end}`,
    );
    return (await db.all<{ id: string }>(statement, values)).map(({ id }) => id);
  };
  const ofFirst = { environment, [first as FilterName]: others[first as FilterName] };
  return findInStretches(
    db,
    lineOf(db.tenantId, environment),
    {
      direction,
      edge: async (range) => (await select('edge', { ...ofFirst, ...range }, `LIMIT 1 OFFSET ${STRETCH - 1}`))[0],
      ids: (range) => select('ids', { ...filter, ...range }, ''),
    },
    { from, below, enough },
  );
}

const OF_IDS = query<AuditRow>()(`SELECT ${COLUMNS} FROM audit_events
  WHERE tenant_id = :tenant_id AND environment = :environment AND id ${inList(':ids')} ORDER BY id DESC`).all;

async function pageOfMatches(
  db: TenantReads,
  filter: AuditFilter,
  { size, offset, direction }: Window,
): Promise<AuditRow[]> {
  const { environment } = filter;
  const matches = await findEvents(db, filter, direction, offset + size);
  const rows: AuditRow[] = [];
  for await (const ids of slicesOf(db, matches.slice(offset, offset + size))) {
    const slice = await OF_IDS(db, { environment, ids });
    rows.push(...(direction === 'DESC' ? slice : slice.toReversed()));
  }
  return rows;
}

/**
 * Reads a page in small batches, and serves other requests in between. Each batch begins after the last id of the
 * previous one, so that new events do not move it.
 */
export async function pageAuditEvents(db: TenantReads, filter: AuditFilter, window: Window): Promise<AuditRow[]> {
  if (filtersIn(filter).length > 1) return pageOfMatches(db, filter, window);
  const rows: AuditRow[] = [];
  let next = filter;
  let { offset } = window;
  for (;;) {
    const size = Math.min(ROWS_AT_ONCE, window.size - rows.length);
    const batch = await someAuditEvents(db, next, { ...window, size, offset });
    rows.push(...batch);
    const last = batch.at(-1)?.id;
    if (last === undefined || batch.length < size || rows.length >= window.size) return rows;
    next = { ...next, ...rangeBehind(next, { after: last, direction: window.direction }) };
    offset = 0;
    await serveOthers(db);
  }
}

function someAuditEvents(
  db: TenantReads,
  filter: AuditFilter,
  { size, offset, direction }: Window,
): Promise<AuditRow[]> {
  const { name, table, where, values } = conditionsOf(db.tenantId, filter);
  const next = values.length + 1;
  const statement = prepared(
    `${direction} ${name}`,
    () => `SELECT ${COLUMNS} FROM ${table} WHERE ${where}
      ORDER BY id ${direction} LIMIT $${next} + 0 OFFSET $${next + 1} + 0`,
  );
  return db.all<AuditRow>(statement, [...values, size, offset]);
}

/** Counts the matching events, up to `cap`. */
export async function countAuditEvents(db: TenantReads, filter: AuditFilter, cap: number): Promise<number> {
  if (filtersIn(filter).length > 1) return Math.min(cap, (await findEvents(db, filter, 'DESC', cap)).length);
  const { name, table, where, values } = conditionsOf(db.tenantId, filter);
  const statement = prepared(
    `count ${name}`,
    () => `SELECT count(*) AS total FROM
      (SELECT 1 FROM ${table} WHERE ${where} LIMIT $${values.length + 1} + 0) AS counted`,
  );
  return (await db.get<{ total: number }>(statement, [...values, cap]))?.total ?? 0;
}

/** Removes up to `limit` events before an id. Resolves to their number. */
export const removeAuditEvents =
  statement(`DELETE FROM audit_events WHERE tenant_id = :tenant_id AND environment = :environment AND id IN
  (SELECT id FROM audit_events WHERE tenant_id = :tenant_id AND environment = :environment AND id < :below
  ORDER BY id LIMIT :limit + 0)`).run;
