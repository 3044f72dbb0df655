import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { MAX_PAGE_ARCHIVE_BYTES } from '@grove/contract';
import { ArchiveRefused } from './archive-refused.ts';
import {
  checkFiles,
  checkPaths,
  MAX_FILE_BYTES,
  MAX_PAGE_BYTES,
  type PageFile,
  type UnpackedFile,
} from './check-files.ts';
import { listEntries, type ZipEntry } from './list-entries.ts';

/** Text is usually compressed about ten times, rarely thirty times. A much higher ratio is a zip bomb. */
export const MAX_RATIO = 200;
/** Below this size the ratio is not checked: a small file of spaces is harmless, whatever its ratio. */
const RATIO_FROM_BYTES = 256 * 2 ** 10;

const inflate = promisify(inflateRaw) as (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/**
 * Reads the files of a custom page from an archive of a stranger. Everything that the archive's own directory shows is
 * checked before anything is unpacked. Then no file is unpacked beyond its stated size. Throws only `ArchiveRefused`.
 */
export async function readArchive(archive: Buffer): Promise<PageFile[]> {
  if (archive.length > MAX_PAGE_ARCHIVE_BYTES) throw new ArchiveRefused('too_large');
  const entries = await listEntries(archive);
  checkPaths(entries.map(({ path }) => path));
  const files: UnpackedFile[] = [];
  let room = MAX_PAGE_BYTES;
  for (const entry of entries) {
    const content = await unpack(entry, room);
    room -= content.length;
    files.push({ path: entry.path, content });
  }
  return checkFiles(files);
}

async function unpack({ path, packed, deflated, crc32: expected, bytes }: ZipEntry, room: number): Promise<Buffer> {
  if (bytes > MAX_FILE_BYTES) throw new ArchiveRefused('too_large', path);
  if (bytes > room) throw new ArchiveRefused('too_many_bytes');
  if (bytes > RATIO_FROM_BYTES && bytes > packed.length * MAX_RATIO) throw new ArchiveRefused('ratio', path);
  // Unpacking stops one byte after the stated size.
  const content = deflated ? await inflate(packed, { maxOutputLength: bytes + 1 }).catch(() => undefined) : packed;
  if (content === undefined || content.length !== bytes) throw new ArchiveRefused('corrupt', path);
  if (crc32(content) !== expected) throw new ArchiveRefused('checksum', path);
  return content;
}
