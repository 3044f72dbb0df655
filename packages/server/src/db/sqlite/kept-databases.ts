import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * A database that a restore replaced, or that was moved to PostgreSQL, is kept beside the current one. Retention and erasure
 * do not reach the personal data in it, so it is removed after a few days.
 */
export const KEPT_DATABASE_DAYS = 7;

export const BEFORE_RESTORE = '.before-restore-';
export const MOVED = '.moved-';
/** The working copy of a restore. A restore that was killed leaves it behind. */
export const RESTORING = '.restoring';

const KEPT_MS = KEPT_DATABASE_DAYS * 86_400_000;
const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})Z/;

/** A moment in the name of a file. */
export function stampOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/[:.]/g, '-');
}

/** Removes older databases; the caller holds the lock of the data folder. Returns the names of the removed files. */
export function purgeKeptDatabases(database: string, now: number): string[] {
  const folder = dirname(database);
  const names = readdirSync(folder).filter((name) => isOver(name, basename(database), now));
  for (const name of names) rmSync(join(folder, name), { force: true });
  return names;
}

function isOver(name: string, database: string, now: number): boolean {
  if (name.startsWith(`${database}${RESTORING}`)) return true;
  const ending = [BEFORE_RESTORE, MOVED].find((each) => name.startsWith(`${database}${each}`));
  if (!ending) return false;
  const time = TIME.exec(name.slice(database.length + ending.length));
  if (!time) return false;
  const [, day, hours, minutes, seconds, ms] = time;
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`) <= now - KEPT_MS;
}

/** The name of the database that was moved to PostgreSQL from this folder, if it is still there. */
export function movedDatabase(database: string): string | undefined {
  const folder = dirname(database);
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder).find((name) => name.startsWith(`${basename(database)}${MOVED}`));
}

/** Renames a moved database so that it is removed later. Its log is empty. */
export function keepMoved(database: string, now: number): string {
  const keptFile = `${database}${MOVED}${stampOf(now)}`;
  renameSync(database, keptFile);
  for (const ending of ['-wal', '-shm']) rmSync(`${database}${ending}`, { force: true });
  return keptFile;
}
