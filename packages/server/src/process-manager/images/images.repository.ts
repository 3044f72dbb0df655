import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

export type ImageRow = {
  instance_id: string;
  step: string;
  attempt: number;
  name: string;
  blob_key: string;
  content_type: string;
  bytes: number;
  sha256: string;
  created_at: number;
};

const COLUMNS = 'instance_id, step, attempt, name, blob_key, content_type, bytes, sha256, created_at';
/** Steps, attempts and images of an attempt are limited, and so is their product. */
const MAX_IMAGES = 2000;

const OF_INSTANCE = sql(`SELECT ${COLUMNS} FROM instance_images WHERE tenant_id = $1 AND instance_id = $2
  ORDER BY created_at, step, name LIMIT ${MAX_IMAGES}`);
const ONE = sql(`SELECT ${COLUMNS} FROM instance_images
  WHERE tenant_id = $1 AND instance_id = $2 AND step = $3 AND attempt = $4 AND name = $5`);
const SAVE = sql(`INSERT INTO instance_images (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (tenant_id, instance_id, step, attempt, name) DO UPDATE SET blob_key = excluded.blob_key,
    content_type = excluded.content_type, bytes = excluded.bytes, sha256 = excluded.sha256,
    created_at = excluded.created_at`);
const CARRY = sql(`UPDATE instance_images SET attempt = $6
  WHERE tenant_id = $1 AND instance_id = $2 AND step = $3 AND attempt = $4 AND name = $5 AND NOT EXISTS
  (SELECT 1 FROM instance_images WHERE tenant_id = $1 AND instance_id = $2 AND step = $3 AND attempt = $6 AND name = $5)`);

/** How many keys can be asked for at once. */
export const KNOWN_AT_ONCE = 200;
const KNOWN = sql(`SELECT blob_key FROM instance_images WHERE tenant_id = $1
  AND blob_key IN (${Array.from({ length: KNOWN_AT_ONCE }, (_, at) => `$${at + 2}`).join(', ')})`);

export function imagesOf(db: TenantReads, instanceId: string): Promise<ImageRow[]> {
  return db.all<ImageRow>(OF_INSTANCE, [db.tenantId, instanceId]);
}

/** Gives the key of the blob that it replaces, if there was one. The instance is locked by the caller. */
export async function saveImage(tx: TenantTx, row: ImageRow): Promise<string | undefined> {
  const { instance_id, step, attempt, name } = row;
  const before = await tx.get<ImageRow>(ONE, [tx.tenantId, instance_id, step, attempt, name]);
  await tx.run(SAVE, [
    ...[tx.tenantId, instance_id, step, attempt, name],
    ...[row.blob_key, row.content_type, row.bytes, row.sha256, row.created_at],
  ]);
  return before?.blob_key;
}

type Carried = { instanceId: string; step: string; attempt: number; names: readonly string[] };

/** Images of one attempt become those of the next, where it has none of that name. The instance is locked. */
export async function carryImages(tx: TenantTx, { instanceId, step, attempt, names }: Carried): Promise<void> {
  for (const name of names) await tx.run(CARRY, [tx.tenantId, instanceId, step, attempt, name, attempt + 1]);
}

/** Which of these blobs are images of the tenant. */
export async function knownBlobs(db: TenantReads, keys: readonly string[]): Promise<string[]> {
  if (keys.length > KNOWN_AT_ONCE) throw new Error(`at most ${KNOWN_AT_ONCE} blobs can be asked for at once`);
  const padded = [...keys, ...Array<string>(KNOWN_AT_ONCE - keys.length).fill('')];
  return (await db.all<{ blob_key: string }>(KNOWN, [db.tenantId, ...padded])).map(({ blob_key }) => blob_key);
}

const KEYS_PAGE = 1000;
const KEYS = sql(`SELECT blob_key FROM instance_images WHERE tenant_id = $1 AND blob_key > $2
  ORDER BY blob_key LIMIT ${KEYS_PAGE}`);

/** The keys of all blobs of the tenant, in their order; a page of them is in memory at a time. */
export async function* everyBlobKey(db: TenantReads): AsyncGenerator<string> {
  for (let after = '', more = true; more; ) {
    const page = await db.all<{ blob_key: string }>(KEYS, [db.tenantId, after]);
    for (const { blob_key } of page) yield blob_key;
    after = page.at(-1)?.blob_key ?? '';
    more = page.length === KEYS_PAGE;
  }
}
