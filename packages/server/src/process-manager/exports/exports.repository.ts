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
const ADD_PART = parts.insert();
const PART = parts.select(['ids'], 'WHERE tenant_id = :tenant_id AND export_id = :export_id AND part = :part');

export const addExport = exports.insert().run;
export const findExport = exports.select(columns, BY_ID).get;

export const findExportForUpdate = exports.select(columns, `${BY_ID} ${FOR_UPDATE}`).get;

export const exportsOf = exports.select(
  columns,
  'WHERE tenant_id = :tenant_id AND environment = :environment AND caller_id = :caller_id ORDER BY id DESC LIMIT 1000',
).all;

export const countRunning = exports.count(
  `WHERE tenant_id = :tenant_id AND environment = :environment AND state = 'RUNNING'`,
);

export const changeExport = exports.update(['state', 'after_id', 'num_parts', 'num_rows', 'truncated'], BY_ID).run;
export const removeExport = exports.delete(BY_ID).run;

export const removeExpired = statement(`DELETE FROM exports WHERE tenant_id = :tenant_id AND id IN
  (SELECT id FROM exports WHERE tenant_id = :tenant_id AND expires_at <= :now ORDER BY id ${LIMIT})`).run;

type Part = { export_id: string; part: number };

export async function addPart(
  tx: TenantTx,
  { export_id, part, ids }: Part & { ids: readonly string[] },
): Promise<void> {
  await ADD_PART.run(tx, { export_id, part, ids: JSON.stringify(ids) });
}

export async function findPart(db: TenantReads, part: Part): Promise<string[] | undefined> {
  const row = await PART.get(db, part);
  return row && (JSON.parse(row.ids) as string[]);
}
