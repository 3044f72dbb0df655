import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './faults.ts';

/**
 * Ensures that one server uses a data folder. The lock is an open exclusive transaction on a separate file, which the
 * operating system ends when its holder dies, so it can never be stale.
 */
export type FolderLock = { release(): void };

/** Takes the lock. Returns undefined if another process holds it. */
export function lockFolder(folder: string): FolderLock | undefined {
  return lockFile(fileIn(folder));
}

/** Locks a file that has no other use. Only its owner may read it, as everything else in the data folder. */
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

/** True while a server uses the folder. It only tries to read the lock file, so it creates and locks nothing. */
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
