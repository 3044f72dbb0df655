import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type yazl from 'yazl';
import { ApiError } from '../../kernel/errors.ts';
import type { FileRow } from './page-files.repository.ts';

/** Loaded with the first archive. */
const load = createRequire(import.meta.url);

export type ArchivedFile = Pick<FileRow, 'path' | 'content_type'> & { readContent(): Promise<Uint8Array> };

const RETRY_AFTER_SECONDS = 2;
const CHUNK_BYTES = 64 * 2 ** 10;

/**
 * The files of a version as a zip of our own making: what was uploaded is not handed to anybody else. Each file is read
 * when those before it have gone out, so that many archives at once need the room of a file each.
 */
export function writePageArchive(files: readonly ArchivedFile[], at: number): Readable {
  const zip = new (load('yazl') as typeof yazl).ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  for (const { path, content_type, readContent } of files) {
    // Images and fonts are compressed already.
    const compress = !/^(image|font)\//.test(content_type);
    zip.addReadStreamLazy(path, { mtime: new Date(at), mode: 0o100644, compress }, (give) => {
      // Nobody reads the archive any more.
      if (output.destroyed) return;
      readContent().then(
        (content) => give(null, Readable.from(chunksOf(content), { objectMode: false })),
        (error) => output.destroy(error),
      );
    });
  }
  zip.end();
  return output;
}

/** What is packed is paid for by everybody's processor. */
export const MAX_ARCHIVES_AT_ONCE = 2;

type Packing = (owner: string, files: readonly ArchivedFile[], at: number) => Readable;

/** Writes a few archives of each owner at a time, and refuses one more with 100010. */
export function packingInTurn(): Packing {
  const counts = new Map<string, number>();
  return (owner, files, at) => {
    const count = counts.get(owner) ?? 0;
    if (count >= MAX_ARCHIVES_AT_ONCE) {
      const detail = `${count} archives of custom pages are being read`;
      throw new ApiError(100010, { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    counts.set(owner, count + 1);
    return writePageArchive(files, at).once('close', () => {
      const left = (counts.get(owner) ?? 1) - 1;
      if (left === 0) counts.delete(owner);
      else counts.set(owner, left);
    });
  };
}

/** Others are served between two chunks. */
function* chunksOf(content: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < content.length; from += CHUNK_BYTES) yield content.subarray(from, from + CHUNK_BYTES);
}
