import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BackupError } from '../db/sqlite/backup.ts';
import type { Blobs } from '../engines/blobs/blobs.ts';
import { allKeys, findBlob } from '../engines/blobs/copy-blobs.ts';
import {
  hashOf,
  MANIFEST,
  type Manifest,
  type ManifestHead,
  type ManifestImage,
  manifestsIn,
  readManifest,
  writeManifest,
} from './manifest.ts';

/**
 * Backs up the images that a copy of the database names, after the copy was made. A server removes an image only
 * together with its row, or a day after the last row that named it was removed; so an image that is missing during the
 * backup belongs to somebody who was erased meanwhile. The bytes under a key never change, so an image in an earlier
 * backup is not copied again.
 */
export type ImageBackup = {
  folder: string;
  stamp: string;
  database: ManifestHead['database'];
  /** The keys of the images in the copy of the database. */
  keys: AsyncIterable<string>;
  /** Returns those of the keys that the database still names now. */
  referenced(keys: readonly string[]): Promise<Set<string>>;
  from: Places;
  /** Undefined if the images are only listed. */
  to: Places | undefined;
  onImage?(done: number): void;
};

/** The places of the images and of the erasure log. */
export type Places = {
  images: Pick<Blobs, 'list' | 'get' | 'put' | 'delete'>;
  erased: Pick<Blobs, 'list' | 'get' | 'put'>;
};

export type ImageBackupDone = { manifest: string; images: number; copied: number; erasedMeanwhile: number };

const KEYS_AT_ONCE = 200;

export async function backUpImages(options: ImageBackup): Promise<ImageBackupDone> {
  const { folder, stamp, database, to } = options;
  const before = to ? await newestManifest(folder) : undefined;
  const counts = { copied: 0, erasedMeanwhile: 0 };
  const name = `${stamp}${MANIFEST}`;
  const head: ManifestHead = {
    grove: 'backup',
    version: 1,
    at: new Date().toISOString(),
    database,
    images: to ? 'copied' : 'listed',
  };
  const lines = to ? copiedImages(options, to, before, counts) : listedImages(options, counts);
  const images = await writeManifest(join(folder, name), head, lines);
  if (to) await copyErased(options.from, to);
  return { manifest: join(folder, name), images, ...counts };
}

type Counts = { copied: number; erasedMeanwhile: number };

async function* copiedImages(
  options: ImageBackup,
  to: Places,
  before: Manifest | undefined,
  counts: Counts,
): AsyncGenerator<ManifestImage> {
  const missing: string[] = [];
  const present = await allKeys(to.images);
  let done = 0;
  for await (const key of options.keys) {
    options.onImage?.(++done);
    const listedBefore = present.has(key) ? before?.images.get(key) : undefined;
    if (listedBefore?.sha256) {
      yield listedBefore;
      continue;
    }
    const bytes = await findBlob(options.from.images, key);
    if (!bytes) {
      missing.push(key);
      continue;
    }
    await to.images.put(key, bytes);
    counts.copied += 1;
    yield { key, bytes: bytes.length, sha256: hashOf(bytes) };
  }
  await settleMissing(options, missing, counts);
}

async function* listedImages(options: ImageBackup, counts: Counts): AsyncGenerator<ManifestImage> {
  const present = await allKeys(options.from.images);
  const missing: string[] = [];
  let done = 0;
  for await (const key of options.keys) {
    options.onImage?.(++done);
    if (present.has(key)) yield { key, bytes: null, sha256: null };
    else missing.push(key);
  }
  await settleMissing(options, missing, counts);
}

/** Rejects if the database still names a missing image: the image is lost, and the backup must not look complete. */
async function settleMissing({ referenced }: ImageBackup, missing: readonly string[], counts: Counts): Promise<void> {
  for (let at = 0; at < missing.length; at += KEYS_AT_ONCE) {
    const [lostKey] = await referenced(missing.slice(at, at + KEYS_AT_ONCE));
    if (lostKey !== undefined) {
      throw new BackupError(
        `The database names an image that is not in its place: ${lostKey}. The backup was not finished.`,
      );
    }
  }
  counts.erasedMeanwhile = missing.length;
}

/**
 * Copies all entries of the erasure log, because a rotation of the master key seals them again under the same names.
 */
async function copyErased(from: Places, to: Places): Promise<void> {
  await putEntries(from, to, await allKeys(from.erased));
}

async function putEntries(from: Places, to: Places, keys: Iterable<string>): Promise<void> {
  for (const key of keys) {
    const entry = await findBlob(from.erased, key);
    if (entry) await to.erased.put(key, entry);
  }
}

async function newestManifest(folder: string): Promise<Manifest | undefined> {
  const name = manifestsIn(folder).at(-1);
  return name === undefined ? undefined : readManifest(folder, name);
}

export type VerifiedBackup = { manifest: string; images: number; faults: string[] };

const MAX_FAULTS = 100;

/** Reads all files of one backup. `images` are in the folder, or in the bucket where they were listed. */
export async function verifyBackup(
  folder: string,
  name: string,
  images: Pick<Blobs, 'list' | 'get'>,
  onImage?: (done: number, of: number) => void,
): Promise<VerifiedBackup> {
  const { head, images: listed } = await readManifest(folder, name);
  const faults: string[] = [];
  const fault = (text: string) => void (faults.length < MAX_FAULTS && faults.push(text));
  if (head.database && (await hashOfFile(join(folder, head.database.file))) !== head.database.sha256) {
    fault(`${head.database.file} is missing or damaged`);
  }
  const present = await allKeys(images);
  let done = 0;
  for (const { key, sha256 } of listed.values()) {
    onImage?.(++done, listed.size);
    if (!present.has(key)) fault(`the image ${key} is missing`);
    else if (sha256 !== null && (await hashOfBlob(images, key)) !== sha256) fault(`the image ${key} is damaged`);
  }
  return { manifest: join(folder, name), images: listed.size, faults };
}

async function hashOfBlob(images: Pick<Blobs, 'get'>, key: string): Promise<string | undefined> {
  const bytes = await findBlob(images, key);
  return bytes && hashOf(bytes);
}

export async function hashOfFile(file: string): Promise<string | undefined> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer);
    return digest.digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Restores the images that are missing. */
export async function restoreImages(
  manifest: Manifest,
  from: Places,
  to: Places,
  onProgress?: (done: number, total: number) => void,
): Promise<{ restored: number }> {
  const present = await allKeys(to.images);
  let [restored, examined] = [0, 0];
  for (const { key, sha256 } of manifest.images.values()) {
    examined += 1;
    onProgress?.(examined, manifest.images.size);
    if (present.has(key)) continue;
    const bytes = await findBlob(from.images, key);
    if (!bytes || hashOf(bytes) !== sha256)
      throw new BackupError(`The image ${key} of the backup is missing or damaged`);
    await to.images.put(key, bytes);
    restored += 1;
  }
  await putEntries(from, to, (await allKeys(from.erased)).difference(await allKeys(to.erased)));
  return { restored };
}

/**
 * Removes all backups but the newest ones, the images that none of these names, and the files of interrupted backups.
 */
export async function keepNewest(
  folder: string,
  keep: number,
  images: Pick<Blobs, 'list' | 'delete'>,
): Promise<string[]> {
  const names = manifestsIn(folder);
  const over = names.slice(0, Math.max(0, names.length - keep));
  for (const name of over) {
    const { database } = (await readManifest(folder, name)).head;
    if (database) rmSync(join(folder, database.file), { force: true });
    rmSync(join(folder, name), { force: true });
  }
  const referencedKeys = new Set<string>();
  for (const name of manifestsIn(folder)) {
    for (const key of (await readManifest(folder, name)).images.keys()) referencedKeys.add(key);
  }
  for (const key of (await allKeys(images)).difference(referencedKeys)) await images.delete(key);
  for (const file of interruptedIn(folder)) rmSync(join(folder, file), { force: true });
  return over;
}

/** The files that are older than every manifest: their backups were interrupted. */
function interruptedIn(folder: string): string[] {
  const [oldest] = manifestsIn(folder);
  if (oldest === undefined) return [];
  return readdirSync(folder).filter((name) => {
    const [, stamp] = UNFINISHED.exec(name) ?? [];
    return stamp !== undefined && `${stamp}${MANIFEST}` < oldest;
  });
}

const UNFINISHED = /^(\d{4}-\d{2}-\d{2}T[\d-]+Z)\.(sqlite|(sqlite|manifest)\.partial)(-wal|-shm|-journal)?$/;
