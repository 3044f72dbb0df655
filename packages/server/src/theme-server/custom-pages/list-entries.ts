import { createRequire } from 'node:module';
import type * as yauzl from 'yauzl';
import type { Entry } from 'yauzl';
import { ArchiveRefused } from './archive-refused.ts';
import { checkPath, isLitter } from './check-path.ts';

/** The zip library is loaded with the first archive. */
const load = createRequire(import.meta.url);

/** An entry of the directory of an archive, with its packed bytes. Nothing is unpacked yet. */
export type ZipEntry = {
  readonly path: string;
  readonly packed: Buffer;
  /** True if compressed with deflate, false if stored uncompressed. */
  readonly deflated: boolean;
  readonly crc32: number;
  readonly bytes: number;
};

/** Folders and skipped files count too. */
export const MAX_ENTRIES = 1000;
const MAX_NAME_BYTES = 1000;

export async function listEntries(archive: Buffer): Promise<ZipEntry[]> {
  const central = centralDirectory(archive);
  const entries = await readDirectory(archive);
  const ranges = entries.map((entry) => ({ entry, ...placeOf(archive, entry, central) }));
  ensureApart(ranges);
  return ranges.flatMap(({ entry, dataStart, end }) => {
    const path = nameOf(entry);
    if (path.endsWith('/')) {
      checkPath(path.slice(0, -1));
      return [];
    }
    ensureFile(entry, path);
    if (isLitter(path)) return [];
    return [
      {
        path,
        packed: archive.subarray(dataStart, end),
        deflated: entry.compressionMethod === 8,
        crc32: entry.crc32,
        bytes: entry.uncompressedSize,
      },
    ];
  });
}

const END_SIGNATURE = Buffer.from('PK\u0005\u0006', 'latin1');
const END_LENGTH = 22;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_LENGTH = 30;
const ZIP64 = 0xffff_ffff;

/** Returns where the directory begins: every file must end before it. */
function centralDirectory(archive: Buffer): number {
  const end = archive.lastIndexOf(END_SIGNATURE);
  if (end < 0 || end + END_LENGTH > archive.length) throw new ArchiveRefused('not_a_zip');
  if (archive.readUInt16LE(end + 10) > MAX_ENTRIES) throw new ArchiveRefused('too_many_entries');
  const start = archive.readUInt32LE(end + 16);
  if (start === ZIP64) throw new ArchiveRefused('zip64');
  // Programs disagree on what an archive holds if anything stands between its directory and its end.
  if (start + archive.readUInt32LE(end + 12) !== end) throw new ArchiveRefused('not_a_zip');
  return start;
}

/** Reads names as bytes, so that flags of the archive cannot change how they are decoded. */
function readDirectory(archive: Buffer): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new ArchiveRefused('not_a_zip'));
    (load('yauzl') as typeof yauzl).fromBuffer(
      archive,
      { lazyEntries: true, decodeStrings: false, validateEntrySizes: false },
      (fault, zip) => {
        if (fault || !zip) return refuse();
        const entries: Entry[] = [];
        zip.on('error', refuse);
        zip.on('end', () => resolve(entries));
        zip.on('entry', (entry: Entry) => {
          if (entries.push(entry) > MAX_ENTRIES) return reject(new ArchiveRefused('too_many_entries'));
          zip.readEntry();
        });
        zip.readEntry();
      },
    );
  });
}

function rawName(entry: Entry): Buffer {
  return entry.fileName as unknown as Buffer;
}

function nameOf(entry: Entry): string {
  const raw = rawName(entry);
  if (raw.length > MAX_NAME_BYTES) throw new ArchiveRefused('long_path', raw.toString('latin1'));
  return raw.toString('utf8');
}

type EntryRange = { start: number; dataStart: number; end: number };

/**
 * Returns the range of an entry. Its local header must agree with the directory: otherwise two readers could see two
 * different archives.
 */
function placeOf(archive: Buffer, entry: Entry, central: number): EntryRange {
  const start = entry.relativeOffsetOfLocalHeader;
  const path = nameOf(entry);
  if (start + LOCAL_LENGTH > central) throw new ArchiveRefused('corrupt', path);
  if (archive.readUInt32LE(start) !== LOCAL_SIGNATURE) throw new ArchiveRefused('corrupt', path);
  const nameStart = start + LOCAL_LENGTH;
  const dataStart = nameStart + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
  const end = dataStart + entry.compressedSize;
  if (end > central) throw new ArchiveRefused('corrupt', path);
  const localName = archive.subarray(nameStart, nameStart + archive.readUInt16LE(start + 26));
  const same = localName.equals(rawName(entry)) && archive.readUInt16LE(start + 8) === entry.compressionMethod;
  if (!same) throw new ArchiveRefused('header_mismatch', path);
  return { start, dataStart, end };
}

/** Refuses entries that share bytes: with them, a small archive unpacks to a huge folder (zip bomb). */
function ensureApart(places: readonly (EntryRange & { entry: Entry })[]): void {
  let before = 0;
  for (const { entry, start, end } of [...places].sort((one, other) => one.start - other.start)) {
    if (start < before) throw new ArchiveRefused('overlap', nameOf(entry));
    before = end;
  }
}

const UNIX = 3;
const FILE_TYPES: readonly number[] = [0, 0o100000];

function ensureFile(entry: Entry, path: string): void {
  if (entry.generalPurposeBitFlag & 0x41) throw new ArchiveRefused('encrypted', path);
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) throw new ArchiveRefused('method', path);
  if (entry.uncompressedSize >= ZIP64 || entry.compressedSize >= ZIP64) throw new ArchiveRefused('zip64', path);
  const mode = entry.externalFileAttributes >>> 16;
  if (entry.versionMadeBy >>> 8 === UNIX && !FILE_TYPES.includes(mode & 0o170000)) {
    throw new ArchiveRefused('symlink', path);
  }
}
