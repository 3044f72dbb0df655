import type { TenantTx, Writes } from './db.ts';

/** A table whose rows belong to tenants, read from the schema of the database, so that none is forgotten in a deletion. */
export type TenantTable = {
  readonly name: string;
  readonly column: 'tenant_id' | 'owner_tenant_id';
  /** The columns that identify a row. */
  readonly key: readonly string[];
};

const COLUMNS = "('tenant_id', 'owner_tenant_id')";
/** PostgreSQL's name for the position of a row. */
const ROW_NAME = 'ctid';
const TABLES = {
  sqlite: `SELECT m.name AS name, p.name AS col,
      (SELECT group_concat(k.name) FROM pragma_table_info(m.name) AS k WHERE k.pk > 0) AS key
    FROM sqlite_schema AS m, pragma_table_info(m.name) AS p WHERE m.type = 'table' AND p.name IN ${COLUMNS} ORDER BY m.name`,
  // A partitioned table has no rows of its own.
  postgres: `SELECT c.relname AS name, a.attname AS col, '${ROW_NAME}' AS key FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped AND a.attname IN ${COLUMNS}
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname`,
};

export async function tenantTables(tx: TenantTx): Promise<TenantTable[]> {
  type Row = { name: string; col: TenantTable['column']; key: string };
  const rows = await tx.all<Row>({ text: TABLES[tx.engine] }, []);
  return rows.map(({ name, col, key }) => ({ name, column: col, key: key.split(',') }));
}

/** Deletes up to `limit` rows of a tenant. Resolves to their number. */
export function deleteSomeRows(
  tx: Writes,
  { name, column, key }: TenantTable,
  { tenantId, limit }: { tenantId: string; limit: number },
): Promise<number> {
  const names = key.map((each) => (each === ROW_NAME ? each : `"${each}"`)).join(', ');
  const row = key.length === 1 ? names : `(${names})`;
  // The names come from the schema of the database, never from a caller (SQL injection).
  const own = `"${name}" WHERE "${column}" = $1`;
  const text = `DELETE FROM ${own} AND ${row} IN (SELECT ${names} FROM ${own} LIMIT ${limit})`;
  return tx.run({ text }, [tenantId]);
}
