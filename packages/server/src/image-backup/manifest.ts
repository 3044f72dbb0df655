import { createHash, hash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BackupError } from '../db/sqlite/backup.ts';

/**
 * The content of one backup, as lines of JSON: the head, a line for each image, and the hash of all lines before. A
 * manifest without its last line was not finished and is not a backup.
 */
export type ManifestHead = {
  readonly grove: 'backup';
  readonly version: 1;
  readonly at: string;
  /** Null if the database is PostgreSQL, which pg_dump saves. */
  readonly database: { readonly file: string; readonly bytes: number; readonly sha256: string } | null;
  /** `copied`: the images are in the folder. `listed`: they stay in their bucket, which keeps versions itself. */
  readonly images: 'copied' | 'listed';
};

/** The hash of the sealed bytes; null where the image was only listed. */
export type ManifestImage = { readonly key: string; readonly bytes: number | null; readonly sha256: string | null };

export const MANIFEST = '.manifest';
const WRITE_CHARACTERS = 2 ** 16;
const MAX_MANIFESTS = 10_000;
/** The name of a file without a folder. */
const DATABASE = /^[\w.-]+\.sqlite$/;

/** The names of the manifests in a folder, the oldest first: they begin with their time. */
export function manifestsIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(MANIFEST));
  return names.sort().slice(-MAX_MANIFESTS);
}

/** Writes a manifest. It gets its name when it is complete and on the disk. */
export async function writeManifest(
  file: string,
  head: ManifestHead,
  images: AsyncIterable<ManifestImage>,
): Promise<number> {
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  const handle = openSync(partial, 'wx', 0o600);
  const digest = createHash('sha256');
  let text = '';
  let count = 0;
  const flush = () => {
    digest.update(text);
    writeSync(handle, text);
    text = '';
  };
  try {
    text += `${JSON.stringify(head)}\n`;
    for await (const image of images) {
      text += `${JSON.stringify(image)}\n`;
      count += 1;
      if (text.length >= WRITE_CHARACTERS) flush();
    }
    flush();
    writeSync(handle, `${JSON.stringify({ images: count, sha256: digest.digest('hex') })}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(partial, file);
  return count;
}

type ManifestEnd = { images: number; sha256: string };

export type Manifest = { head: ManifestHead; images: Map<string, ManifestImage> };

/** Rejects if the manifest is damaged or was not finished. */
export async function readManifest(folder: string, name: string): Promise<Manifest> {
  const refuse = (why: string) => new BackupError(`${join(folder, name)} ${why}`);
  const digest = createHash('sha256');
  const images: Manifest['images'] = new Map();
  let head: ManifestHead | undefined;
  let end: ManifestEnd | undefined;
  for await (const line of createInterface({ input: createReadStream(join(folder, name)), crlfDelay: Infinity })) {
    if (end) throw refuse('has lines after its end');
    const value = parsed(line);
    if (value === undefined) throw refuse('is damaged');
    if (!head) {
      head = value as ManifestHead;
      if (head.grove !== 'backup' || head.version !== 1) throw refuse('is not a manifest that this release can read');
      // Restoring reads this file, and an old backup is deleted with it. Somebody who can write a manifest must not be
      // able to choose any file.
      if (head.database !== null && !DATABASE.test(head.database?.file))
        throw refuse('names a database that is not in its folder');
    } else if (typeof (value as { key?: unknown }).key !== 'string') {
      end = value as ManifestEnd;
      continue;
    } else {
      images.set((value as ManifestImage).key, value as ManifestImage);
    }
    digest.update(`${line}\n`);
  }
  if (!head || !end) throw refuse('is not complete');
  if (end.images !== images.size || end.sha256 !== digest.digest('hex')) throw refuse('is damaged');
  return { head, images };
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

export const hashOf = (bytes: Uint8Array) => hash('sha256', bytes, 'hex');
