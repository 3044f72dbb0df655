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

type SaveDerivedDeps = { vault: Pick<Vault, 'sealerFor' | 'sealerWith'>; blobs: Pick<Blobs, 'put' | 'delete'> };
type Owner = {
  readonly instanceId: string;
  /** The key of the instance, if the caller has just read it. */
  readonly dataKey?: Uint8Array | null;
  readonly step: string;
  readonly attempt: number;
  readonly now: number;
};

/**
 * Stores images that analysis cut out of others: blobs first, then rows with the findings. A crash may leave a blob
 * without a row, which the sweep removes, but never a row without its blob.
 */
export async function storeDerived(
  { vault, blobs }: SaveDerivedDeps,
  db: TenantDb,
  images: readonly DerivedImage[],
  { instanceId, dataKey, step, attempt, now }: Owner,
): Promise<ImageRow[]> {
  if (images.length === 0) return [];
  const subject = instanceSubject(instanceId);
  const makeKey = () =>
    db.write(async (tx) => {
      // A data key made for a deleted or redacted instance would never be destroyed.
      if ((await findInstanceForUpdate(tx, instanceId))?.redacted_at !== null) return undefined;
      return vault.sealerFor(tx, subject);
    });
  const seal = await (dataKey ? vault.sealerWith(db, subject, dataKey) : makeKey());
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
