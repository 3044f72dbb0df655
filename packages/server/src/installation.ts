import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import type { Config } from './config.ts';
import type { MigrationState } from './db/migrate.ts';
import { isFile, migrate, openDb } from './db/open.ts';
import { type FolderLock, lockFolder } from './db/sqlite/folder-lock.ts';
import { movedDatabase } from './db/sqlite/kept-databases.ts';
import { createMasterKeyFile } from './secrets/master-key.ts';
import { listSystemSecrets } from './secrets/secrets.repository.ts';
import { OperatorError } from './tenants/tenants.ts';

/** The state of the disk and the database before an application is opened. */
export type Prepared = { migrations: MigrationState; wasEmpty: boolean };

/** Creates the data folder, migrates the database, and creates the master key at the first start. */
export async function prepareInstallation(config: Config): Promise<Prepared> {
  const wasEmpty = isFile(config.database) && !existsSync(config.database.file);
  if (wasEmpty) refuseIfMoved(config);
  makeFolder(config.dataFolder);
  const migrations = await migrate(config.database);
  if (isFile(config.database)) chmodSync(config.database.file, 0o600);
  if ('file' in config.masterKey && !existsSync(config.masterKey.file)) {
    await refuseIfSealed(config, config.masterKey.file);
    createMasterKeyFile(config.masterKey.file);
  }
  return { migrations, wasEmpty };
}

/** Ensures that nobody starts an empty installation beside one that was moved to PostgreSQL. */
function refuseIfMoved({ database }: Config): void {
  const moved = isFile(database) ? movedDatabase(database.file) : undefined;
  if (moved === undefined) return;
  throw new OperatorError(
    `This installation was moved to PostgreSQL: set DATABASE_URL to that database. (To begin anew in this folder, remove ${moved}.)`,
  );
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new OperatorError(`The data folder ${folder} cannot be made: ${(error as Error).message}`);
  }
}

/** Ensures that no new key is created beside data that another key has sealed, because it could not open that data. */
async function refuseIfSealed(config: Config, file: string): Promise<void> {
  const db = openDb(config.database, () => undefined);
  try {
    if ((await listSystemSecrets(db.system)).length === 0) return;
  } finally {
    await db.close();
  }
  throw new OperatorError(
    `The database holds sealed data, but its master key is missing: ${file} does not exist. Put the file back, or set ` +
      'GROVE_MASTER_KEY or GROVE_MASTER_KEY_FILE. Without that key the data cannot be opened.',
  );
}

/** Locks the data folder if the database is SQLite, which only one server may use at a time. */
export function lockInstallation(config: Config): FolderLock | undefined {
  if (!isFile(config.database)) return undefined;
  makeFolder(config.dataFolder);
  const lock = lockFolder(config.dataFolder);
  if (!lock) {
    throw new OperatorError(
      `Another server is using the data folder ${config.dataFolder}. Stop it first, or set GROVE_DATA to another folder.`,
    );
  }
  return lock;
}
