import { type Db, isUniqueViolation, type TenantTx, unprepared } from '../db/db.ts';
import type { Blobs } from '../engines/blobs/blobs.ts';
import type { TenantId } from '../kernel/ids.ts';
import { removeTenant } from './tenants.repository.ts';

/**
 * Removes a tenant with everything it has: images first, because only rows know their names, then the rows of every table,
 * a batch at a time, and the tenant itself last. What was interrupted goes on when it is called again. The tables are those
 * that the database has, so none is forgotten.
 */
export type DeleteTenantDeps = {
  db: Db;
  blobs: Pick<Blobs, 'delete'>;
  onProgress(stage: string, done: number, total: number): void;
};

export type DeletedTenant = { readonly blobsRemoved: number; readonly rowsRemoved: Readonly<Record<string, number>> };

type Table = { name: string; column: 'tenant_id' | 'owner_tenant_id'; key: readonly string[] };

const BATCH = 1000;
const BLOBS_AT_ONCE = 16;
/** Each pass removes at least the rows that no other row refers to. */
const MAX_PASSES = 20;

export async function deleteTenant(deps: DeleteTenantDeps, tenantId: TenantId): Promise<DeletedTenant> {
  const blobsRemoved = await removeBlobs(deps, tenantId);
  const tables = await deps.db.of(tenantId).write((tx) => tablesOf(tx));
  const rowsRemoved = await removeRows(deps, tenantId, tables);
  await deps.db.system.write((tx) => removeTenant(tx, tenantId));
  return { blobsRemoved, rowsRemoved };
}

async function removeBlobs({ db, blobs, onProgress }: DeleteTenantDeps, tenantId: TenantId): Promise<number> {
  const tenant = db.of(tenantId);
  const count = unprepared('SELECT count(*) AS total FROM instance_images WHERE tenant_id = $1');
  const total = Number((await tenant.get<{ total: number }>(count, [tenantId]))?.total ?? 0);
  const page = unprepared(`SELECT DISTINCT blob_key FROM instance_images WHERE tenant_id = $1 LIMIT ${BATCH}`);
  const forget = unprepared('DELETE FROM instance_images WHERE tenant_id = $1 AND blob_key = $2');
  let removed = 0;
  for (;;) {
    const keys = (await tenant.all<{ blob_key: string }>(page, [tenantId])).map(({ blob_key }) => blob_key);
    if (keys.length === 0) break;
    for (let at = 0; at < keys.length; at += BLOBS_AT_ONCE) {
      await Promise.all(keys.slice(at, at + BLOBS_AT_ONCE).map((key) => blobs.delete(key)));
    }
    await tenant.write(async (tx) => {
      for (const key of keys) await tx.run(forget, [tenantId, key]);
    });
    removed += keys.length;
    onProgress('images', removed, total);
  }
  return removed + (await removeErasedBlobs({ db, blobs }, tenantId));
}

/** Those of erasures that had begun: their rows are gone, and the erasure knows the keys. */
async function removeErasedBlobs({ db, blobs }: Pick<DeleteTenantDeps, 'db' | 'blobs'>, tenantId: TenantId) {
  const rows = await db
    .of(tenantId)
    .all<{ blob_keys: string }>(unprepared('SELECT blob_keys FROM erasures WHERE tenant_id = $1'), [tenantId]);
  const keys = rows.flatMap(({ blob_keys }) => JSON.parse(blob_keys) as string[]);
  for (const key of keys) await blobs.delete(key);
  return keys.length;
}

const COLUMNS = "('tenant_id', 'owner_tenant_id')";
const OF_SQLITE = `SELECT m.name AS name, p.name AS col,
    (SELECT group_concat(k.name) FROM pragma_table_info(m.name) AS k WHERE k.pk > 0) AS key
  FROM sqlite_schema AS m, pragma_table_info(m.name) AS p WHERE m.type = 'table' AND p.name IN ${COLUMNS} ORDER BY m.name`;
/** What PostgreSQL calls the place of a row. */
const ROW_NAME = 'ctid';
const OF_POSTGRES = `SELECT table_name AS name, column_name AS col, '${ROW_NAME}' AS key FROM information_schema.columns
  WHERE table_schema = current_schema() AND column_name IN ${COLUMNS} ORDER BY table_name`;

async function tablesOf(tx: TenantTx): Promise<Table[]> {
  const rows = await tx.all<{ name: string; col: Table['column']; key: string }>(
    { text: tx.engine === 'sqlite' ? OF_SQLITE : OF_POSTGRES },
    [],
  );
  return rows.map(({ name, col, key }) => ({ name, column: col, key: key.split(',') }));
}

async function removeRows(
  { db, onProgress }: DeleteTenantDeps,
  tenantId: TenantId,
  tables: readonly Table[],
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  let left = [...tables];
  for (let pass = 0; left.length > 0; pass++) {
    if (pass === MAX_PASSES) throw new Error(`rows of ${left.map(({ name }) => name).join(', ')} cannot be deleted`);
    const blocked: Table[] = [];
    for (const table of left) {
      const result = await removeFrom(db, tenantId, table);
      if (result.count > 0) removed[table.name] = (removed[table.name] ?? 0) + result.count;
      if (result.isBlocked) blocked.push(table);
      onProgress('tables', tables.length - left.length + left.indexOf(table) + 1, tables.length);
    }
    if (blocked.length === left.length) throw new Error(`rows of ${left[0]?.name} cannot be deleted: others need them`);
    left = blocked;
  }
  return removed;
}

/** Stops where rows of another table still refer to these. */
async function removeFrom(db: Db, tenantId: TenantId, { name, column, key }: Table) {
  const names = key.map((each) => (each === ROW_NAME ? each : `"${each}"`)).join(', ');
  const [row, chosen] = key.length === 1 ? [names, names] : [`(${names})`, names];
  // The name of the table is the database's own; the column is the one that says whose row it is.
  const own = `"${name}" WHERE "${column}" = $1`;
  const statement = { text: `DELETE FROM ${own} AND ${row} IN (SELECT ${chosen} FROM ${own} LIMIT ${BATCH})` };
  const run = () =>
    column === 'tenant_id'
      ? db.of(tenantId).write((tx) => tx.run(statement, [tenantId]))
      : db.system.write((tx) => tx.run(statement, [tenantId]));
  let count = 0;
  try {
    for (let deleted = BATCH; deleted === BATCH; ) {
      deleted = await run();
      count += deleted;
    }
    return { count, isBlocked: false };
  } catch (error) {
    if (!isReference(error)) throw error;
    return { count, isBlocked: true };
  }
}

function isReference(error: unknown): boolean {
  if (isUniqueViolation(error)) return false;
  for (let each = error; each instanceof Error; each = each.cause) {
    if (/foreign key/i.test(each.message) || (each as { code?: string }).code === '23503') return true;
  }
  return false;
}
