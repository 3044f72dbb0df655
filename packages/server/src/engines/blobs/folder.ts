import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { creationTimeOf, ID_PATTERN } from '../../kernel/ids.ts';
import {
  asContent,
  assertKey,
  type BlobContent,
  BlobError,
  type Blobs,
  deleteEach,
  missingBlob,
  type StoredBlob,
  shardOf,
} from './blobs.ts';
import { fileReaders } from './read-file.ts';

/** Stores blobs as files below a folder, two levels deep so that no folder grows too large. */
export function openFolder(folder: string): Blobs {
  const readerOf = fileReaders();
  const pathOf = (key: string) => join(folder, shardOf(assertKey(key)), key.slice(-4, -2), key);
  const remove = async (key: string) => {
    const path = pathOf(key);
    await rm(path, { force: true }).catch((error) => Promise.reject(blobError(error)));
  };
  return {
    async put(key, content) {
      const path = pathOf(key);
      const parent = dirname(path);
      const temporary = `${path}.${randomUUID()}.part`;
      try {
        const firstNewFolder = await mkdir(parent, { recursive: true, mode: 0o700 });
        await writeDurably(temporary, asContent(content));
        await rename(temporary, path);
        await syncFolder(parent);
        if (firstNewFolder !== undefined) await syncNewFolders(firstNewFolder, parent);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        throw blobError(error);
      }
    },

    async get(key, part) {
      const file = await open(pathOf(key), 'r').catch((error) => Promise.reject(blobError(error)));
      return readerOf(file, part);
    },

    delete: remove,
    deleteAll: (keys) => deleteEach(keys, remove),

    async *list(shard) {
      for (const second of await namesIn(join(folder, shard))) {
        const subfolder = join(folder, shard, second);
        for (const name of await namesIn(subfolder)) {
          const storedBlob = await storedIn(subfolder, name);
          if (storedBlob) yield storedBlob;
        }
      }
    },

    async check() {
      try {
        await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch (error) {
        // The folder is created with the first blob.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw blobError(error);
      }
    },
  };
}

/** Translates errors of the operating system for callers. Anything else is a bug and stays one. */
function blobError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BlobError('full', 'the blob folder is full', error);
  if (code === 'ENOENT' && syscall === 'open') return missingBlob(error);
  return syscall ? new BlobError('unavailable', `the blob folder cannot be used: ${code}`, error) : error;
}

async function writeDurably(path: string, { size, chunks }: BlobContent): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    let writtenBytes = 0;
    for await (const chunk of chunks()) {
      await file.writeFile(chunk);
      writtenBytes += chunk.length;
    }
    if (writtenBytes !== size) throw new Error(`a blob of ${size} bytes has ${writtenBytes}`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file name is durable only after the folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Syncs new folders: `first` is the uppermost one, and each folder down to `last` is a new name in its parent. */
async function syncNewFolders(first: string, last: string): Promise<void> {
  for (let path = last; path.length >= first.length; path = dirname(path)) await syncFolder(dirname(path));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw blobError(error);
  }
}

/** Undefined for a file that was deleted meanwhile or is not ours. */
async function storedIn(parent: string, name: string): Promise<StoredBlob | undefined> {
  const isBlob = ID_PATTERN.test(name);
  if (!isBlob && !name.endsWith('.part')) return undefined;
  const path = join(parent, name);
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  return {
    key: isBlob ? name : undefined,
    storedAt: Math.max(stats.mtimeMs, creationTimeOf(name)),
    remove: () => rm(path, { force: true }),
  };
}
