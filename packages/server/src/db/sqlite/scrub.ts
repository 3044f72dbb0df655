import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { DbPlace } from '../open.ts';
import { isBusy } from './faults.ts';

/**
 * Removes deleted data from the files. SQLite overwrites deleted rows (`secure_delete`), but its write-ahead log keeps the
 * old pages until it is overwritten; this writes the log into the database and truncates it. PostgreSQL does this in its own
 * time (vacuum).
 */
export type Scrub = () => Promise<void>;

const TRIES = 50;
const BETWEEN_TRIES_MS = 20;

/** Rejects if a reader, such as a backup, uses an old state of the database for too long. */
export function openScrub(databasePlace: DbPlace): Scrub {
  if (databasePlace.engine === 'postgres') return async () => undefined;
  return async () => {
    for (let tries = 0; tries < TRIES; tries++) {
      if (foldLog(databasePlace.file)) return;
      await wait(BETWEEN_TRIES_MS);
    }
    throw new Error('the write-ahead log is in use');
  };
}

/** Never waits for others: they may be in this thread, which would be a deadlock. */
function foldLog(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    const [result] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    return result?.busy === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    database.close();
  }
}
