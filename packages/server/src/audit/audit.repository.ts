import { type Sql, sql, type TenantReads, type TenantTx } from '../db/db.ts';
import { indexedBy } from '../db/sql/dialect.ts';
import { statement } from '../db/sql/statement.ts';
import { ROWS_AT_ONCE, serveOthers } from '../kernel/in-slices.ts';

export type AuditRow = {
  environment: 'live' | 'test';
  id: string;
  at: number;
  action: string;
  actor: string;
  api_key_id: string | null;
  operator_id: string | null;
  instance_id: string | null;
  item: string | null;
  request_id: string | null;
  /** Of a change of the configuration: JSON. */
  details: string | null;
  address: string | null;
};

const COLUMNS =
  'environment, id, at, action, actor, api_key_id, operator_id, instance_id, item, request_id, details, address';
const COLUMN_COUNT = 12;

/** One statement for many rows, in two sizes: a flush is mostly large, a change is one. */
const BATCH = 50;
const ADD_ONE = additionOf(1);
const ADD_BATCH = additionOf(BATCH);

function additionOf(rows: number): Sql {
  const places = (row: number) =>
    Array.from({ length: COLUMN_COUNT }, (_, at) => `$${row * COLUMN_COUNT + at + 2}`).join(', ');
  const values = Array.from({ length: rows }, (_, row) => `($1, ${places(row)})`).join(', ');
  return sql(`INSERT INTO audit_events (tenant_id, ${COLUMNS}) VALUES ${values}
    ON CONFLICT (tenant_id, environment, id) DO NOTHING`);
}

const valuesOf = (row: AuditRow) => [
  row.environment,
  row.id,
  row.at,
  row.action,
  row.actor,
  row.api_key_id,
  row.operator_id,
  row.instance_id,
  row.item,
  row.request_id,
  row.details,
  row.address,
];

export async function addAuditEvents(tx: TenantTx, rows: readonly AuditRow[]): Promise<void> {
  const whole = rows.length - (rows.length % BATCH);
  for (let from = 0; from < whole; from += BATCH) {
    tx.send(ADD_BATCH, [tx.tenantId, ...rows.slice(from, from + BATCH).flatMap(valuesOf)]);
  }
  for (const row of rows.slice(whole)) await addAuditEvent(tx, row);
}

/** Written out, because every change of the configuration passes here. */
export async function addAuditEvent(tx: TenantTx, row: AuditRow): Promise<void> {
  const { environment, id, at, action, actor, api_key_id, operator_id, instance_id, item, request_id } = row;
  // biome-ignore format: in the order of the columns
  const values = [tx.tenantId, environment, id, at, action, actor, api_key_id, operator_id, instance_id, item, request_id, row.details, row.address];
  tx.send(ADD_ONE, values);
}

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
  const used = (Object.keys(FILTERS) as (keyof typeof FILTERS)[]).filter((name) => filter[name] !== undefined);
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

/** A few at a time, and others are served in between. The next few begin behind the last id, whatever came since. */
export async function pageAuditEvents(db: TenantReads, filter: AuditFilter, window: Window): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  let next = filter;
  let { offset } = window;
  for (;;) {
    const size = Math.min(ROWS_AT_ONCE, window.size - rows.length);
    const batch = await someAuditEvents(db, next, { ...window, size, offset });
    rows.push(...batch);
    const last = batch.at(-1)?.id;
    if (last === undefined || batch.length < size || rows.length >= window.size) return rows;
    // Ids have one length, so nothing lies between an id and the same with a character behind it.
    next = window.direction === 'DESC' ? { ...next, below: last } : { ...next, from: `${last}~` };
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
