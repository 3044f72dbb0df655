import { Readable } from 'node:stream';
import type { TenantReads } from '../../db/db.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import { sealedSize } from '../../secrets/seal-chunks.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import type { ImageRow } from './images.repository.ts';

type ReadImageDeps = { vault: Pick<Vault, 'openerFor'>; blobs: Pick<Blobs, 'get'> };
type ImageLocation = Pick<ImageRow, 'blob_key'> & Partial<Pick<ImageRow, 'blob_offset'>>;
type StoredImage = ImageLocation & Pick<ImageRow, 'instance_id' | 'bytes'>;

/** A unique name of an image: its blob, and the offset in a blob that holds several. */
export function imageId({ blob_key, blob_offset = null }: ImageLocation): string {
  return blob_offset === null ? blob_key : `${blob_key}:${blob_offset}`;
}

export const imageContext = (location: ImageLocation) => `image:${imageId(location)}`;

/**
 * Streams the bytes of an image while decrypting. If the stored bytes were changed, cut off or exchanged, the stream
 * fails at that point: everything before it is authentic.
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
    // A reader that stops early must not leave a file or connection of the store open.
    destroy(error, done) {
      sealed.close().then(
        () => done(error),
        (fault) => done(error ?? fault),
      );
    },
  });
}

/** `key` is that of the instance, if the caller has just read it. */
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
  const { blob_key, blob_offset: offset = null, bytes } = row;
  const sealed = await (offset === null
    ? blobs.get(blob_key)
    : blobs.get(blob_key, { offset, size: sealedSize(bytes) }));
  return { sealed, parts: open(imageContext(row), sealed, bytes) };
}
