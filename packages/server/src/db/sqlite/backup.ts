import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  constants as fsConstants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type MigrationState, planMigrations, readMigrations } from '../migrate.ts';
import { type View, viewSqlite } from '../view.ts';
import { schemaFault } from './check-schema.ts';
import { isBusy } from './faults.ts';
import { BEFORE_RESTORE, RESTORING, stampOf } from './kept-databases.ts';

/**
 * Backup and restore of the SQLite database. A backup is made while the server runs and writes; it gets its name only when
 * it is complete and checked. A restore checks everything before it replaces anything.
 */

/** An error that the operator can correct. */
export class BackupError extends Error {}

const BUSY_TIMEOUT_MS = 5000;
const PAGES_PER_STEP = 1000;
const HEADER = Buffer.from('SQLite format 3\0');
const BESIDE = ['-wal', '-shm', '-journal'] as const;

export type Backup = { file: string; bytes: number; migration: string };

/** Copies the state of the database at one moment, however much is written meanwhile. */
export async function backUpSqlite({ database, target }: { database: string; target: string }): Promise<Backup> {
  if (!existsSync(database)) throw new BackupError(`There is no database ${database}`);
  refuseTarget(database, target);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  // Creates the file with its mode, so that nobody else can read it even for a moment.
  const handle = openSync(partial, 'wx', 0o600);
  try {
    await copySnapshot(database, partial);
    const { applied } = checkCopy(partial, 'The copy');
    // Another backup to the same file would have replaced the partial one.
    if (fstatSync(handle).ino !== statSync(partial).ino)
      throw new BackupError(`Another backup to ${target} is running`);
    fsyncSync(handle);
    renameSync(partial, target);
    syncFolder(target);
    return { file: resolve(target), bytes: fstatSync(handle).size, migration: applied.at(-1)?.name ?? '' };
  } catch (error) {
    if (statSync(partial, { throwIfNoEntry: false })?.ino === fstatSync(handle).ino) removeWithBeside(partial);
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** Ensures that a backup replaces nothing but an older backup: a mistyped name must not destroy another file. */
function refuseTarget(database: string, target: string): void {
  const folder = dirname(resolve(target));
  if (!existsSync(folder)) throw new BackupError(`The folder ${folder} does not exist`);
  if (!existsSync(target)) return;
  const databaseFiles = [database, ...BESIDE.map((ending) => `${database}${ending}`)];
  if (databaseFiles.some((each) => existsSync(each) && realpathSync(each) === realpathSync(target))) {
    throw new BackupError(`${target} is the database itself; give the backup another name`);
  }
  if (!isSqlite(target)) throw new BackupError(`${target} exists and is not a backup; give the backup another name`);
}

async function copySnapshot(database: string, partial: string): Promise<void> {
  // Not read-only: the last connection to close removes the files beside the database, and only a writer can do so.
  const source = new DatabaseSync(database, { timeout: BUSY_TIMEOUT_MS });
  try {
    // An open read keeps the copy at one moment. Without it, every write of the server would restart the copy.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(source, partial, { rate: PAGES_PER_STEP });
  } catch (error) {
    throw asBackupError(error, `${database} could not be copied`);
  } finally {
    source.close();
  }
}

/** Makes the copy a single file without a log, and ensures that it is an intact database of Grove. */
function checkCopy(copy: string, what: string): MigrationState {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(copy, { timeout: BUSY_TIMEOUT_MS });
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA journal_mode = DELETE;');
    const [report] = database.prepare('PRAGMA integrity_check(1)').all();
    if (report?.integrity_check !== 'ok')
      throw new BackupError(`${what} is damaged: ${String(report?.integrity_check)}`);
    const tables = database
      .prepare(`SELECT name FROM sqlite_schema WHERE name IN ('schema_migrations', 'tenants', 'system_secrets')`)
      .all();
    if (tables.length < 3) throw new BackupError(`${what} is not a database of Grove`);
    const done = database.prepare('SELECT version, name, checksum FROM schema_migrations ORDER BY version').all();
    return planMigrations(done as never, readMigrations());
  } catch (error) {
    throw asBackupError(error, `${what} cannot be read as a database`);
  } finally {
    database?.close();
  }
}

function refuseOtherSchema(copy: string, what: string): void {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const fault = schemaFault(database);
    if (fault === undefined) return;
    throw new BackupError(
      `${what} ${fault}: somebody has changed the backup. Restore another one. If it was you, undo the change in a copy of ` +
        'the backup first.',
    );
  } finally {
    database.close();
  }
}

export type Restore = {
  source: string;
  database: string;
  /** Replaces an existing database, which is kept beside it. */
  force: boolean;
  now: number;
  /** Refuses a database that this installation could not open. */
  verify(view: View): Promise<void>;
};

export type RestoreResult = {
  database: string;
  bytes: number;
  keptFile: string | undefined;
  migrations: MigrationState;
};

/** The caller holds the lock of the data folder, so no server uses the database that is replaced. */
export async function restoreSqlite({ source, database, force, now, verify }: Restore): Promise<RestoreResult> {
  refuseSource(source, database);
  const present = existsSync(database) || existsSync(`${database}-wal`);
  if (present && !force) {
    throw new BackupError(`${database} already exists. Use --force to replace it; the old database is kept beside it.`);
  }
  const copy = `${database}${RESTORING}`;
  try {
    copyFileSync(source, copy, fsConstants.COPYFILE_FICLONE);
    chmodSync(copy, 0o600);
    const migrations = checkCopy(copy, source);
    refuseOtherSchema(copy, source);
    const view = viewSqlite(copy);
    try {
      await verify(view);
    } finally {
      await view.close();
    }
    syncFile(copy);
    const keptFile = present ? keepBeside(database, now) : undefined;
    // SQLite would apply the log of the old database to the new one.
    for (const ending of BESIDE) rmSync(`${database}${ending}`, { force: true });
    renameSync(copy, database);
    syncFolder(database);
    return { database, bytes: statSync(database).size, keptFile, migrations };
  } finally {
    removeWithBeside(copy);
  }
}

function refuseSource(source: string, database: string): void {
  if (!existsSync(source)) throw new BackupError(`There is no file ${source}`);
  if (!isSqlite(source)) throw new BackupError(`${source} is not a backup: it is not a SQLite database`);
  if (existsSync(database) && realpathSync(source) === realpathSync(database)) {
    throw new BackupError(`${source} is the database itself`);
  }
  const log = statSync(`${source}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) {
    throw new BackupError(`${source} is not a backup: it is incomplete without the log beside it, ${source}-wal`);
  }
}

/** Keeps the old database under another name. Its own name always exists, so that a crash loses neither database. */
function keepBeside(database: string, now: number): string {
  const keptFile = `${database}${BEFORE_RESTORE}${stampOf(now)}`;
  // This comes before it is opened, because SQLite deletes the log of a damaged database.
  const logLinked = linkOrCopy(`${database}-wal`, `${keptFile}-wal`);
  linkOrCopy(database, keptFile);
  try {
    // A link includes the changes from the log; a copy does not, and still needs the log.
    if (foldLog(database) && logLinked) rmSync(`${keptFile}-wal`, { force: true });
  } catch (error) {
    removeWithBeside(keptFile);
    throw error;
  }
  syncFolder(database);
  return keptFile;
}

/** Writes the log into the database. Returns false if it is too damaged, which may be the reason for the restore. */
function foldLog(database: string): boolean {
  if (!existsSync(database)) return false;
  const busy = new BackupError(`Another process is using ${database}. Let it finish, then restore again.`);
  let old: DatabaseSync | undefined;
  try {
    old = new DatabaseSync(database, { timeout: BUSY_TIMEOUT_MS });
    const [mode] = old.prepare('PRAGMA journal_mode = DELETE').all();
    if (mode?.journal_mode !== 'delete') throw busy;
    return true;
  } catch (error) {
    if (error === busy || isBusy(error)) throw busy;
    return false;
  } finally {
    old?.close();
  }
}

/** Returns true if both names are one file now. */
function linkOrCopy(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  try {
    linkSync(from, to);
    return true;
  } catch {
    // Not every file system supports links.
    copyFileSync(from, to, fsConstants.COPYFILE_EXCL);
    syncFile(to);
    return false;
  }
}

function isSqlite(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const start = Buffer.alloc(HEADER.length);
    return fstatSync(handle).isFile() && readSync(handle, start) === HEADER.length && start.equals(HEADER);
  } finally {
    closeSync(handle);
  }
}

function asBackupError(error: unknown, what: string): unknown {
  if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') return error;
  return new BackupError(`${what}: ${(error as Error).message}`, { cause: error });
}

function removeWithBeside(file: string): void {
  for (const ending of ['', ...BESIDE]) rmSync(`${file}${ending}`, { force: true });
}

function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A rename is durable when the folder that holds the name is. */
function syncFolder(file: string): void {
  const handle = openSync(dirname(resolve(file)), 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
