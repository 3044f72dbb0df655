import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type yazl from 'yazl';
import type { StoredFile } from './page-files.repository.ts';

/** Loaded with the first archive. */
const load = createRequire(import.meta.url);

export type ArchivedFile = Pick<StoredFile, 'path' | 'content' | 'content_type'>;

/** The files of a version as a zip of our own making: what was uploaded is not handed to anybody else. */
export function writePageArchive(files: readonly ArchivedFile[], at: number): Readable {
  const zip = new (load('yazl') as typeof yazl).ZipFile();
  for (const { path, content, content_type } of files) {
    // Images and fonts are compressed already.
    const compress = !/^(image|font)\//.test(content_type);
    zip.addBuffer(Buffer.from(content), path, { mtime: new Date(at), mode: 0o100644, compress });
  }
  zip.end();
  return zip.outputStream as Readable;
}
