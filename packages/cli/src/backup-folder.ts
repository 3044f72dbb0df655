import { mkdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Config, Places, TenantId, View } from '@grove/server';
import { FAILED } from './failure.ts';
import { masterKeyPlace } from './operator.ts';
import type { Result } from './output.ts';
import { progressLine } from './progress.ts';

/** Backups in a folder: for each a copy of the database and a manifest, and the images of all of them. */
const clock = { now: Date.now };

/** The folder with the images of all backups, in the server's layout. */
export const IMAGES = 'images';

export async function placesOf(config: Pick<Config, 'blobFolder' | 's3'>): Promise<Places> {
  const { openBlobs, openErased } = await import('@grove/server');
  return { images: openBlobs(config, clock), erased: openErased(config, clock) };
}

export const placesIn = (folder: string) => placesOf({ blobFolder: join(folder, IMAGES), s3: undefined });

export type FolderBackup = { folder: string; list: boolean; keep: number | undefined };

export async function backUpFolder(config: Config, { folder, list, keep }: FolderBackup): Promise<Result> {
  const { backUpImages, keepNewest, openView, stampOf } = await import('@grove/server');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = stampOf(Date.now());
  const database = await backUpDatabase(config, folder, stamp);
  const line = progressLine();
  const live = openView(config.database);
  const copy = database ? openView({ engine: 'sqlite', file: join(folder, database.file) }) : live;
  try {
    const [from, to] = [await placesOf(config), await placesIn(folder)];
    const total = await countImages(copy);
    const done = await backUpImages({
      folder,
      stamp,
      database,
      from,
      to: list ? undefined : to,
      keys: keysOf(copy),
      referenced: (keys) => referencedIn(live, keys),
      onImage: (count) => line.show('Images saved', count, total),
    });
    const removed = keep === undefined ? [] : await keepNewest(folder, keep, to.images);
    return describeBackup(config, { ...done, database, removed, list });
  } finally {
    line.end();
    await copy.close();
    if (copy !== live) await live.close();
  }
}

async function backUpDatabase(config: Config, folder: string, stamp: string) {
  const { backUpSqlite, hashOfFile, isFile } = await import('@grove/server');
  if (!isFile(config.database)) return null;
  const done = await backUpSqlite({ database: config.database.file, target: join(folder, `${stamp}.sqlite`) });
  const sha256 = await hashOfFile(done.file);
  if (sha256 === undefined) throw new Error(`${done.file} no longer exists`);
  return { file: basename(done.file), bytes: done.bytes, sha256 };
}

async function* keysOf(view: View): AsyncGenerator<string> {
  const { everyBlobKey, everyTenantId } = await import('@grove/server');
  for await (const tenantId of everyTenantId(view.system)) yield* everyBlobKey(view.of(tenantId));
}

async function countImages(view: View): Promise<number> {
  const { everyTenantId } = await import('@grove/server');
  const count = {
    text: 'SELECT count(DISTINCT blob_key) + count(former_key) AS images FROM instance_images WHERE tenant_id = $1',
  };
  let total = 0;
  for await (const tenantId of everyTenantId(view.system)) {
    total += Number((await view.of(tenantId).get<{ images: number }>(count, [tenantId]))?.images ?? 0);
  }
  return total;
}

async function referencedIn(view: View, keys: readonly string[]): Promise<Set<string>> {
  const { everyTenantId, knownBlobs } = await import('@grove/server');
  const referencedKeys = new Set<string>();
  const tenantIds: TenantId[] = await Array.fromAsync(everyTenantId(view.system));
  for (const tenantId of tenantIds)
    for (const key of await knownBlobs(view.of(tenantId), keys)) referencedKeys.add(key);
  return referencedKeys;
}

type FolderBackupResult = {
  manifest: string;
  images: number;
  copied: number;
  erasedMeanwhile: number;
  database: { file: string; bytes: number } | null;
  removed: string[];
  list: boolean;
};

function describeBackup(config: Config, done: FolderBackupResult): Result {
  const { manifest, images, copied, erasedMeanwhile, database, removed, list } = done;
  const text = [
    `The backup is complete: ${resolve(manifest)}.`,
    database
      ? `Database: ${database.file} (${(database.bytes / 1024).toFixed(0)} KiB, checked).`
      : 'Database: PostgreSQL is not part of it. Keep the pg_dump that you made before beside it.',
    list ? `Images: ${images}, listed; the bucket keeps them.` : `Images: ${images}, of which ${copied} are new.`,
    ...(erasedMeanwhile > 0 ? [`${erasedMeanwhile} images were erased during the backup and are not in it.`] : []),
    ...(removed.length > 0 ? [`Removed ${removed.length} older backups.`] : []),
    `The master key is not in it: keep ${masterKeyPlace(config)} elsewhere.`,
  ];
  const value = { manifest: resolve(manifest), database, images, copied, listed: list, erasedMeanwhile, removed };
  return { value, text: text.join('\n') };
}

export async function verifyFolder(config: Config, folder: string, newest: boolean): Promise<Result> {
  const { manifestsIn, OperatorError, readManifest, verifyBackup } = await import('@grove/server');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`There is no folder ${folder}`);
  const names = manifestsIn(folder).slice(newest ? -1 : 0);
  if (names.length === 0) throw new OperatorError(`There is no backup in ${folder}`);
  const line = progressLine();
  const backups = [];
  try {
    for (const name of names) {
      const { head } = await readManifest(folder, name);
      const { images } = head.images === 'copied' ? await placesIn(folder) : await placesOf(config);
      const show = (done: number, of: number) => line.show(`Images of ${name} read`, done, of);
      backups.push(await verifyBackup(folder, name, images, show));
    }
  } finally {
    line.end();
  }
  const faults = backups.flatMap((each) => each.faults.map((fault) => `${basename(each.manifest)}: ${fault}`));
  const good = backups.filter((each) => each.faults.length === 0).length;
  const text = [...faults, `${good} of ${backups.length} backups are complete and undamaged.`];
  return { value: { backups }, text: text.join('\n'), ...(faults.length > 0 && { exitCode: FAILED }) };
}
