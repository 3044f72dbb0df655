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
  /** Of a change of the configuration: JSON. */
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
  /** Ids from the first up to the second, which is not among them. */
  from: string;
  below: string;
  instanceId?: string | undefined;
  action?: string | undefined;
  apiKeyId?: string | undefined;
  operatorId?: string | undefined;
};

/** Each of them has an index in the order of ids. The first that is used leaves the fewest events. */
const FILTERS = {
  instanceId: { column: 'instance_id', index: 'audit_events_instance' },
  apiKeyId: { column: 'api_key_id', index: 'audit_events_key' },
  operatorId: { column: 'operator_id', index: 'audit_events_operator' },
  action: { column: 'action', index: 'audit_events_action' },
} as const;
type FilterName = keyof typeof FILTERS;
const usedIn = (filter: AuditFilter) =>
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

/** The conditions of a filter, their values, and a name for the combination: there are sixteen. */
function conditionsOf(tenantId: string, filter: AuditFilter) {
  const used = usedIn(filter);
  const [first] = used;
  return {
    name: used.join(' '),
    // Left alone, SQLite would rather read all events of the time.
    table: first ? `audit_events ${indexedBy(FILTERS[first].index)}` : 'audit_events',
    where: [
      'tenant_id = $1 AND environment = $2 AND id >= $3 AND id < $4',
      ...used.map((name, at) => `${FILTERS[name].column} = $${at + 5}`),
    ].join(' AND '),
    values: [tenantId, filter.environment, filter.from, filter.below, ...used.map((name) => filter[name] as string)],
  };
}

type Window = { size: number; offset: number; direction: 'ASC' | 'DESC' };

/** Only one filter has an index: with two of them events are looked through, the events of the first one alone. */
function findEvents(
  db: TenantReads,
  filter: AuditFilter,
  direction: Window['direction'],
  enough: number,
): Promise<string[]> {
  const { environment, from, below, ...others } = filter;
  const [first] = usedIn(filter);
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

async function pageOfFound(
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

/** A few at a time, and others are served in between. The next few begin behind the last id, whatever came since. */
export async function pageAuditEvents(db: TenantReads, filter: AuditFilter, window: Window): Promise<AuditRow[]> {
  if (usedIn(filter).length > 1) return pageOfFound(db, filter, window);
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

/** Counts no further than `cap`. */
export async function countAuditEvents(db: TenantReads, filter: AuditFilter, cap: number): Promise<number> {
  if (usedIn(filter).length > 1) return Math.min(cap, (await findEvents(db, filter, 'DESC', cap)).length);
  const { name, table, where, values } = conditionsOf(db.tenantId, filter);
  const statement = prepared(
    `count ${name}`,
    () => `SELECT count(*) AS total FROM
      (SELECT 1 FROM ${table} WHERE ${where} LIMIT $${values.length + 1} + 0) AS counted`,
  );
  return (await db.get<{ total: number }>(statement, [...values, cap]))?.total ?? 0;
}

/** Removes at most `limit` events before an id; returns how many. */
export const removeAuditEvents =
  statement(`DELETE FROM audit_events WHERE tenant_id = :tenant_id AND environment = :environment AND id IN
  (SELECT id FROM audit_events WHERE tenant_id = :tenant_id AND environment = :environment AND id < :below
  ORDER BY id LIMIT :limit + 0)`).run;
