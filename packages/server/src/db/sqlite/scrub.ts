import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { DbPlace } from '../open.ts';
import { isBusy } from './faults.ts';

/**
 * Removes from the files what was deleted before. SQLite overwrites what it deletes (`secure_delete`), but its
 * write-ahead log has the pages as they were, and keeps them until it happens to be written over; here the log is folded
 * into the database and cut off. PostgreSQL does this in its own time (vacuum), and nobody can ask it to.
 */
export type Scrub = () => Promise<void>;

const TRIES = 50;
const BETWEEN_TRIES_MS = 20;

/** Rejects if somebody holds on to an old state of the database for too long: a backup, say. */
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

/** Never waits for others: they may be in this very thread, and would wait for us. */
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
