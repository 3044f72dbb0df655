import type { TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE, LIMIT } from '../../db/sql/dialect.ts';
import { statement } from '../../db/sql/statement.ts';
import { bytes, integer, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';

const exports = table('exports', {
  tenant_id: text(),
  id: text(),
  environment: text<Environment>(),
  caller_id: text(),
  format: text<'CSV' | 'JSON'>(),
  state: text<'RUNNING' | 'DONE' | 'FAILED'>(),
  filters: bytes(),
  after_id: text(),
  num_parts: integer(),
  num_rows: integer(),
  total: integer(),
  truncated: integer<0 | 1>(),
  created_at: integer(),
  created_by: text(),
  expires_at: integer(),
});
const { columns } = exports;
export type ExportRow = RowOf<typeof exports>;

const parts = table('export_parts', { tenant_id: text(), export_id: text(), part: integer(), ids: text() });

const BY_ID = 'WHERE tenant_id = :tenant_id AND id = :id';
const ADD = exports.insert();
const ONE = exports.select(columns, BY_ID);
const ONE_FOR_UPDATE = exports.select(columns, `${BY_ID} ${FOR_UPDATE}`);
/** A caller has few at a time. */
const OF_CALLER = exports.select(
  columns,
  'WHERE tenant_id = :tenant_id AND environment = :environment AND caller_id = :caller_id ORDER BY id DESC LIMIT 1000',
);
const COUNT_RUNNING = exports.count(
  `WHERE tenant_id = :tenant_id AND environment = :environment AND state = 'RUNNING'`,
);
const CHANGE = exports.update(['state', 'after_id', 'num_parts', 'num_rows', 'truncated'], BY_ID);
const REMOVE = exports.delete(BY_ID);
const REMOVE_EXPIRED = statement(`DELETE FROM exports WHERE tenant_id = :tenant_id AND id IN
  (SELECT id FROM exports WHERE tenant_id = :tenant_id AND expires_at <= :now ORDER BY id ${LIMIT})`);
const ADD_PART = parts.insert();
const PART = parts.select(['ids'], 'WHERE tenant_id = :tenant_id AND export_id = :export_id AND part = :part');

export async function addExport(tx: TenantTx, row: ExportRow): Promise<void> {
  await ADD.run(tx, row);
}

export function findExport(db: TenantReads, id: string): Promise<ExportRow | undefined> {
  return ONE.get(db, { id });
}

/** Locks the row until the transaction ends. */
export function findExportForUpdate(tx: TenantTx, id: string): Promise<ExportRow | undefined> {
  return ONE_FOR_UPDATE.get(tx, { id });
}

export function exportsOf(
  db: TenantReads,
  caller: { environment: Environment; caller_id: string },
): Promise<ExportRow[]> {
  return OF_CALLER.all(db, caller);
}

export async function countRunning(db: TenantReads, environment: Environment): Promise<number> {
  return Number((await COUNT_RUNNING.get(db, { environment }))?.total ?? 0);
}

export async function changeExport(tx: TenantTx, row: ExportRow): Promise<void> {
  await CHANGE.run(tx, row);
}

export async function removeExport(tx: TenantTx, id: string): Promise<void> {
  await REMOVE.run(tx, { id });
}

/** How many it removed. */
export function removeExpired(tx: TenantTx, now: number, limit: number): Promise<number> {
  return REMOVE_EXPIRED.run(tx, { now, limit });
}

type Part = { export_id: string; part: number };

export async function addPart(
  tx: TenantTx,
  { export_id, part, ids }: Part & { ids: readonly string[] },
): Promise<void> {
  await ADD_PART.run(tx, { export_id, part, ids: JSON.stringify(ids) });
}

/** Undefined past the last one. */
export async function findPart(db: TenantReads, part: Part): Promise<string[] | undefined> {
  const row = await PART.get(db, part);
  return row && (JSON.parse(row.ids) as string[]);
}
