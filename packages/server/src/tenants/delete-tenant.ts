import { type Db, isUniqueViolation } from '../db/db.ts';
import { inList } from '../db/sql/dialect.ts';
import { countOf, query, statement } from '../db/sql/statement.ts';
import { deleteSomeRows, type TenantTable, tenantTables } from '../db/tenant-tables.ts';
import type { Blobs } from '../engines/blobs/blobs.ts';
import type { TenantId } from '../kernel/ids.ts';
import { removeTenant } from './tenants.repository.ts';

/**
 * Removes a tenant with all its data: first the blobs of its images, because only rows know their keys, then the rows of
 * every table in batches, and the tenant itself last. A second call continues an interrupted one. The database lists its
 * tables, so none is forgotten.
 */
export type DeleteTenantDeps = {
  db: Db;
  blobs: Pick<Blobs, 'delete'>;
  onProgress(stage: string, done: number, total: number): void;
};

export type DeletedTenant = { readonly blobsRemoved: number; readonly rowsRemoved: Readonly<Record<string, number>> };

const BATCH = 1000;
const BLOBS_AT_ONCE = 16;
/** Each pass removes at least the rows that no other row refers to. */
const MAX_PASSES = 20;
/** A server that does not know of the deletion yet may still write rows, such as a job or an audit event. */
const MAX_ROUNDS = 5;

export async function deleteTenant(deps: DeleteTenantDeps, tenantId: TenantId): Promise<DeletedTenant> {
  const blobsRemoved = await removeBlobs(deps, tenantId);
  const tables = await deps.db.of(tenantId).write((tx) => tenantTables(tx));
  const rowsRemoved: Record<string, number> = {};
  for (let round = 1; ; round++) {
    const count = await removeRows(deps, tenantId, tables, rowsRemoved);
    // Some tables have no foreign key to others, so only a round without rows shows that no server has written more.
    if (count > 0 && round < MAX_ROUNDS) continue;
    try {
      await deps.db.system.write((tx) => removeTenant(tx, { id: tenantId }));
      return { blobsRemoved, rowsRemoved };
    } catch (error) {
      if (round === MAX_ROUNDS || !isReference(error)) throw error;
    }
  }
}

const COUNT_IMAGES = countOf('FROM instance_images WHERE tenant_id = :tenant_id');
const SOME_IMAGES = query<{ blob_key: string }>()(
  `SELECT DISTINCT blob_key FROM instance_images WHERE tenant_id = :tenant_id LIMIT ${BATCH}`,
);
const FORMER_BLOBS = query<{ former_key: string }>()(`SELECT former_key FROM instance_images
  WHERE tenant_id = :tenant_id AND former_key IS NOT NULL AND blob_key ${inList(':keys')}`);
const FORGET_IMAGE = statement('DELETE FROM instance_images WHERE tenant_id = :tenant_id AND blob_key = :key');
const KEYS_OF_ERASURES = query<{ blob_keys: string }>()(`SELECT blob_keys FROM erasures WHERE tenant_id = :tenant_id
  UNION ALL SELECT blob_keys FROM redactions WHERE tenant_id = :tenant_id`);

async function removeBlobs({ db, blobs, onProgress }: DeleteTenantDeps, tenantId: TenantId): Promise<number> {
  const tenant = db.of(tenantId);
  const total = await COUNT_IMAGES(tenant);
  let removed = 0;
  // The frames of a challenge can share a blob, so images are counted apart from blobs.
  let images = 0;
  for (;;) {
    const keys = (await SOME_IMAGES.all(tenant, {})).map(({ blob_key }) => blob_key);
    if (keys.length === 0) break;
    const former = (await FORMER_BLOBS.all(tenant, { keys })).map(({ former_key }) => former_key);
    const all = [...keys, ...former];
    for (let at = 0; at < all.length; at += BLOBS_AT_ONCE) {
      await Promise.all(all.slice(at, at + BLOBS_AT_ONCE).map((key) => blobs.delete(key)));
    }
    images += await tenant.write(async (tx) => {
      let count = 0;
      for (const key of keys) count += await FORGET_IMAGE.run(tx, { key });
      return count;
    });
    removed += all.length;
    onProgress('images', images, Math.max(images, total));
  }
  return removed + (await removeErasedBlobs({ db, blobs }, tenantId));
}

/** Removes the blobs of unfinished erasures and redactions: the rows of the images are gone, and the erasure has the keys. */
async function removeErasedBlobs({ db, blobs }: Pick<DeleteTenantDeps, 'db' | 'blobs'>, tenantId: TenantId) {
  const rows = await KEYS_OF_ERASURES.all(db.of(tenantId), {});
  const keys = rows.flatMap(({ blob_keys }) => JSON.parse(blob_keys) as string[]);
  for (const key of keys) await blobs.delete(key);
  return keys.length;
}

async function removeRows(
  { db, onProgress }: DeleteTenantDeps,
  tenantId: TenantId,
  tables: readonly TenantTable[],
  removed: Record<string, number>,
): Promise<number> {
  let total = 0;
  let rest = [...tables];
  for (let pass = 0; rest.length > 0; pass++) {
    if (pass === MAX_PASSES) throw new Error(`rows of ${rest.map(({ name }) => name).join(', ')} cannot be deleted`);
    const blocked: TenantTable[] = [];
    for (const table of rest) {
      const result = await removeFrom(db, tenantId, table);
      total += result.count;
      if (result.count > 0) removed[table.name] = (removed[table.name] ?? 0) + result.count;
      if (result.isBlocked) blocked.push(table);
      onProgress('tables', tables.length - rest.length + rest.indexOf(table) + 1, tables.length);
    }
    if (blocked.length === rest.length) throw new Error(`rows of ${rest[0]?.name} cannot be deleted: others need them`);
    rest = blocked;
  }
  return total;
}

/** Deletes the rows of a table until none is left, or until rows of another table refer to the next ones. */
async function removeFrom(db: Db, tenantId: TenantId, table: TenantTable) {
  const some = { tenantId, limit: BATCH };
  const run = () =>
    table.column === 'tenant_id'
      ? db.of(tenantId).write((tx) => deleteSomeRows(tx, table, some))
      : db.system.write((tx) => deleteSomeRows(tx, table, some));
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
