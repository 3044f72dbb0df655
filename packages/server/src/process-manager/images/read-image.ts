import { Readable } from 'node:stream';
import type { TenantReads } from '../../db/db.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import type { ImageRow } from './images.repository.ts';

type ReadImageDeps = { vault: Pick<Vault, 'openerFor'>; blobs: Pick<Blobs, 'get'> };
type StoredImage = Pick<ImageRow, 'instance_id' | 'blob_key' | 'bytes'>;

/** What the bytes of an image are sealed for, beside the instance it belongs to. */
export const imageContext = (blobKey: string) => `image:${blobKey}`;

/**
 * The bytes of an image, opened as they come. What was changed, cut off or exchanged in the store makes the stream fail
 * at that point: what came before was what was put there.
 */
export async function streamImage(deps: ReadImageDeps, db: TenantReads, row: StoredImage): Promise<Readable> {
  const { sealed, parts } = await openImage(deps, db, row);
  return new Readable({
    read() {
      parts.next().then(
        ({ value, done }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    // A reader that stops early must not leave the file or connection of the store open.
    destroy(error, done) {
      sealed.close().then(
        () => done(error),
        (fault) => done(error ?? fault),
      );
    },
  });
}

/** `key` is that of the instance, where the caller has just read it. */
export async function readImage(
  deps: ReadImageDeps,
  db: TenantReads,
  row: StoredImage,
  key?: Uint8Array | null,
): Promise<Buffer> {
  const { sealed, parts } = await openImage(deps, db, row, key);
  try {
    return Buffer.concat(await Array.fromAsync(parts));
  } finally {
    await sealed.close();
  }
}

async function openImage({ vault, blobs }: ReadImageDeps, db: TenantReads, row: StoredImage, key?: Uint8Array | null) {
  const open = await vault.openerFor(db, instanceSubject(row.instance_id), key);
  const sealed = await blobs.get(row.blob_key);
  return { sealed, parts: open(imageContext(row.blob_key), sealed, row.bytes) };
}
