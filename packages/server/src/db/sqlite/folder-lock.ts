import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './faults.ts';

/**
 * One server on a data folder. The lock is one that the operating system drops when its holder dies, however it dies, so
 * it can never be stale: an open exclusive transaction on a file of its own.
 */
export type FolderLock = { release(): void };

/** The lock, or undefined if another process holds it. */
export function lockFolder(folder: string): FolderLock | undefined {
  return lockFile(fileIn(folder));
}

/** The same for a file that exists for nothing else. Only its owner may read it, as everything else in the data folder. */
export function lockFile(file: string): FolderLock | undefined {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}

/** True while a server runs on the folder. The lock is asked for only to read, so nothing is made and nothing is held. */
export function isFolderLocked(folder: string): boolean {
  const file = fileIn(folder);
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    database.prepare('PRAGMA schema_version').get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database.close();
  }
}

function fileIn(folder: string): string {
  return `${folder}/server.lock`;
}
