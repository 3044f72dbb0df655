import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ID_PATTERN } from '../../kernel/ids.ts';
import type { Blobs } from './blobs.ts';

/**
 * Blobs as files below a folder, two levels deep so that no folder grows too large. The last characters of an id are
 * random, its first ones are not: they would put all of a day into one folder.
 */
export function openFolder(folder: string): Blobs {
  const pathOf = (key: string) => {
    if (!ID_PATTERN.test(key)) throw new Error('the key of a blob is an id');
    return join(folder, key.slice(-2), key.slice(-4, -2), key);
  };
  return {
    async put(key, bytes) {
      const path = pathOf(key);
      const place = dirname(path);
      const made = await mkdir(place, { recursive: true, mode: 0o700 });
      const temporary = `${path}.${randomUUID()}.part`;
      try {
        await writeDurably(temporary, bytes);
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await syncFolder(place);
      if (made !== undefined) await syncNewFolders(made, place);
    },

    get: async (key) => readFile(pathOf(key)),

    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name in a folder is durable only once the folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** `first` is the uppermost folder that was made: it, and each down to `last`, is a new name in the one above. */
async function syncNewFolders(first: string, last: string): Promise<void> {
  for (let path = last; path.length >= first.length; path = dirname(path)) await syncFolder(dirname(path));
}
