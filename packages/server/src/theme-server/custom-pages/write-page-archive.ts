import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type yazl from 'yazl';
import { ApiError } from '../../kernel/errors.ts';
import { countUnderWay } from '../../kernel/under-way.ts';
import type { FileRow } from './page-files.repository.ts';

/** The zip library is loaded with the first archive. */
const load = createRequire(import.meta.url);

export type ArchivedFile = Pick<FileRow, 'path' | 'content_type'> & { readContent(): Promise<Uint8Array> };

const RETRY_AFTER_SECONDS = 2;
const CHUNK_BYTES = 64 * 2 ** 10;

/**
 * Writes the files of a version to a new zip: the uploaded archive itself is never passed on. Each file is read after the
 * earlier ones were sent, so that each archive holds only one file in memory.
 */
export function writePageArchive(files: readonly ArchivedFile[], at: number): Readable {
  const zip = new (load('yazl') as typeof yazl).ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  for (const { path, content_type, readContent } of files) {
    // Images and fonts are already compressed.
    const compress = !/^(image|font)\//.test(content_type);
    zip.addReadStreamLazy(path, { mtime: new Date(at), mode: 0o100644, compress }, (give) => {
      // The client has closed the connection.
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

/** The limit for each owner: compression takes processor time from all other requests. */
export const MAX_ARCHIVES_AT_ONCE = 2;

type Packing = (owner: string, files: readonly ArchivedFile[], at: number) => Readable;

/** Returns a function that writes an archive, and throws 100010 if the owner has reached the limit. */
export function packingInTurn(): Packing {
  const archives = countUnderWay();
  return (owner, files, at) => {
    const count = archives.count(owner);
    if (count >= MAX_ARCHIVES_AT_ONCE) {
      const detail = `${count} archives of custom pages are being read`;
      throw new ApiError(100010, { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    return writePageArchive(files, at).once('close', archives.enter(owner));
  };
}

/** Splits the content, so that other requests are served between two chunks. */
function* chunksOf(content: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < content.length; from += CHUNK_BYTES) yield content.subarray(from, from + CHUNK_BYTES);
}
