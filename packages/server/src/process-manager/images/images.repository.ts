import type { TenantReads, TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { ImageName } from '../instances/instance-journey.repository.ts';

const images = table('instance_images', {
  tenant_id: text(),
  instance_id: text(),
  step: text(),
  attempt: integer(),
  name: text(),
  blob_key: text(),
  /** The offset in a blob that holds several images. */
  blob_offset: optional(integer()),
  /** The former blob, until it is deleted. */
  former_key: optional(text()),
  content_type: text(),
  bytes: integer(),
  sha256: text(),
  created_at: integer(),
});
const { columns } = images;
export type ImageRow = RowOf<typeof images>;

/** Steps, attempts and images of an attempt are limited, and so is their product. */
const MAX_IMAGES = 2000;

const OF_INSTANCE = images.select(
  columns,
  `WHERE tenant_id = :tenant_id AND instance_id = :instanceId
  ORDER BY created_at, step, name LIMIT ${MAX_IMAGES}`,
);
const SAVE = images.upsert(['tenant_id', 'instance_id', 'step', 'attempt', 'name']);
const OF_STEP = 'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step AND name = :name';
const CARRY = statement(`UPDATE instance_images SET attempt = :next ${OF_STEP} AND attempt = :attempt
  AND NOT EXISTS (SELECT 1 FROM instance_images ${OF_STEP} AND attempt = :next)`);

export const KNOWN_AT_ONCE = 200;
const KNOWN_KEYS = query<{ blob_key: string }>()(`SELECT blob_key FROM instance_images
    WHERE tenant_id = :tenant_id AND blob_key ${inList(':keys')}
  UNION SELECT former_key FROM instance_images
    WHERE tenant_id = :tenant_id AND former_key IS NOT NULL AND former_key ${inList(':keys')}`);

export function imagesOf(db: TenantReads, instanceId: string): Promise<ImageRow[]> {
  return OF_INSTANCE.all(db, { instanceId });
}

/**
 * Saves images of one instance, which the caller has locked. Returns the keys of blobs that no image has any more.
 * `names` are those of all its images.
 */
export async function saveImages(
  tx: TenantTx,
  rows: readonly ImageRow[],
  names: readonly ImageName[],
): Promise<string[]> {
  const isSame = (one: ImageName, other: ImageName) =>
    one.step === other.step && one.attempt === other.attempt && one.name === other.name;
  const isReplaced = (each: ImageName) => rows.some((row) => isSame(row, each));
  const [first] = rows;
  const stored = first && names.some(isReplaced) ? await imagesOf(tx, first.instance_id) : [];
  SAVE.sendAll(tx, rows);
  const current = new Set([...rows, ...stored.filter((each) => !isReplaced(each))].flatMap(blobsOf));
  return [...new Set(stored.filter(isReplaced).flatMap(blobsOf)).difference(current)];
}

function blobsOf({ blob_key, former_key }: ImageRow): string[] {
  return former_key === null ? [blob_key] : [blob_key, former_key];
}

type ImagesToCarry = { instanceId: string; step: string; attempt: number; names: readonly string[] };

/** Moves images of an attempt to the next one, unless it has one of the same name. The caller has locked the instance. */
export async function carryImages(tx: TenantTx, { instanceId, step, attempt, names }: ImagesToCarry): Promise<void> {
  for (const name of names) CARRY.send(tx, { instanceId, step, attempt, name, next: attempt + 1 });
}

export async function knownBlobs(db: TenantReads, keys: readonly string[]): Promise<string[]> {
  if (keys.length > KNOWN_AT_ONCE) throw new Error(`at most ${KNOWN_AT_ONCE} blobs can be asked for at once`);
  return (await KNOWN_KEYS.all(db, { keys })).map(({ blob_key }) => blob_key);
}

const KEYS_PAGE = 1000;
const keysAfter = (column: 'blob_key' | 'former_key') =>
  `SELECT blob_key FROM (SELECT DISTINCT ${column} AS blob_key
  FROM instance_images WHERE tenant_id = :tenant_id AND ${column} IS NOT NULL AND ${column} > :after
  ORDER BY blob_key LIMIT ${KEYS_PAGE}) AS ${column}s` as const;
const KEYS = query<{ blob_key: string }>()(
  `${keysAfter('blob_key')} UNION ${keysAfter('former_key')} ORDER BY blob_key LIMIT ${KEYS_PAGE}`,
);

/**
 * The keys of all blobs of the tenant in order, each once, a page in memory at a time. Backups of the database may
 * still name former blobs.
 */
export async function* everyBlobKey(db: TenantReads): AsyncGenerator<string> {
  for (let after = '', more = true; more; ) {
    const page = await KEYS.all(db, { after });
    for (const { blob_key } of page) yield blob_key;
    after = page.at(-1)?.blob_key ?? '';
    more = page.length === KEYS_PAGE;
  }
}

const PACK = statement(`UPDATE instance_images SET former_key = blob_key, blob_key = :packKey, blob_offset = :offset
  ${OF_STEP} AND attempt = :attempt AND blob_key = :formerKey AND blob_offset IS NULL`);

export type PackedImage = { readonly row: ImageRow; readonly offset: number };

/**
 * Records that the images are now parts of one blob, except those that changed meanwhile. Returns how many. The caller
 * has locked the instance.
 */
export async function moveIntoPack(tx: TenantTx, packKey: string, images: readonly PackedImage[]): Promise<number> {
  let moved = 0;
  for (const { row, offset } of images) {
    const { instance_id: instanceId, step, attempt, name, blob_key: formerKey } = row;
    const isMoved = await PACK.changes(tx, { instanceId, step, attempt, name, packKey, offset, formerKey });
    if (isMoved) moved += 1;
  }
  return moved;
}

const FORMER_AT_ONCE = 500;
const FORMER_KEYS = query<{ former_key: string }>()(`SELECT former_key FROM instance_images
  WHERE tenant_id = :tenant_id AND former_key IS NOT NULL AND blob_key < :firstId
  ORDER BY former_key LIMIT ${FORMER_AT_ONCE}`);
const FORGET_FORMER = statement(`UPDATE instance_images SET former_key = NULL
  WHERE tenant_id = :tenant_id AND former_key IS NOT NULL AND former_key ${inList(':keys')}`);

/** Removes the former blobs of images packed before that id was made, and returns their keys. */
export async function forgetFormer(tx: TenantTx, firstId: string): Promise<string[]> {
  const keys = (await FORMER_KEYS.all(tx, { firstId })).map(({ former_key }) => former_key);
  if (keys.length > 0) FORGET_FORMER.send(tx, { keys });
  return keys;
}
