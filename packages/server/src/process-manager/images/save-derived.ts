import { createHash } from 'node:crypto';
import type { TenantDb } from '../../db/db.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import type { DerivedImage } from '../../engines/vision/vision.ts';
import { newId } from '../../kernel/ids.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { findInstanceForUpdate } from '../instances/process-instances.repository.ts';
import type { ImageRow } from './images.repository.ts';
import { imageContext } from './read-image.ts';

type SaveDerivedDeps = { vault: Pick<Vault, 'sealerFor'>; blobs: Pick<Blobs, 'put' | 'delete'> };
type Owner = {
  readonly instanceId: string;
  /** The key of the instance, where the caller has just read it. */
  readonly dataKey?: Uint8Array | null;
  readonly step: string;
  readonly attempt: number;
  readonly now: number;
};

/**
 * Stores what machines cut out of images, as uploads are stored: blobs first, rows with the findings. There may be a
 * blob that no row knows, and a sweep removes it, but never a row without its blob.
 */
export async function storeDerived(
  { vault, blobs }: SaveDerivedDeps,
  db: TenantDb,
  images: readonly DerivedImage[],
  { instanceId, dataKey, step, attempt, now }: Owner,
): Promise<ImageRow[]> {
  if (images.length === 0) return [];
  const seal = await db.write(async (tx) => {
    // A data key made for a deleted or redacted instance would stay for ever.
    if ((await findInstanceForUpdate(tx, instanceId))?.redacted_at !== null) return undefined;
    return vault.sealerFor(tx, instanceSubject(instanceId), dataKey);
  });
  if (!seal) return [];
  const rows: ImageRow[] = [];
  for (const { name, contentType, bytes } of images) {
    const blobKey = newId(now);
    await blobs.put(blobKey, seal(imageContext({ blob_key: blobKey }), bytes));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    rows.push({
      instance_id: instanceId,
      step,
      attempt,
      name,
      blob_key: blobKey,
      blob_offset: null,
      former_key: null,
      content_type: contentType,
      bytes: bytes.length,
      sha256,
      created_at: now,
    });
  }
  return rows;
}
