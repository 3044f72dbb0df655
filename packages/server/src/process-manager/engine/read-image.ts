import { Readable } from 'node:stream';
import type { TenantReads } from '../../db/db.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import type { ImageRow } from './images.repository.ts';

type ReadImageDeps = { vault: Pick<Vault, 'openerFor'>; blobs: Pick<Blobs, 'get'> };
type Stored = Pick<ImageRow, 'instance_id' | 'blob_key' | 'bytes'>;

/** What the bytes of an image are sealed for, beside the instance it belongs to. */
export const imageContext = (blobKey: string) => `image:${blobKey}`;

/**
 * The bytes of an image, opened as they come. What was changed, cut off or exchanged in the store makes the stream fail
 * at that point: what came before was what was put there.
 */
export async function streamImage({ vault, blobs }: ReadImageDeps, db: TenantReads, row: Stored): Promise<Readable> {
  const open = await vault.openerFor(db, instanceSubject(row.instance_id));
  const sealed = await blobs.get(row.blob_key);
  const opened = Readable.from(open(imageContext(row.blob_key), sealed), { objectMode: false });
  // Whoever goes away before the first byte would leave the store's stream open.
  return opened.once('close', () => sealed.destroy());
}

export async function readImage(deps: ReadImageDeps, db: TenantReads, row: Stored): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of await streamImage(deps, db, row)) parts.push(part);
  const bytes = Buffer.concat(parts);
  if (bytes.length !== row.bytes) throw new Error('an image has another length than its row says');
  return bytes;
}
