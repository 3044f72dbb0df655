import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import type { Config } from './config.ts';
import type { MigrationState } from './db/migrate.ts';
import { isFile, migrate, openDb } from './db/open.ts';
import { type FolderLock, lockFolder } from './db/sqlite/folder-lock.ts';
import { movedDatabase } from './db/sqlite/kept-databases.ts';
import { createMasterKeyFile } from './secrets/master-key.ts';
import { listSystemSecrets } from './secrets/secrets.repository.ts';
import { OperatorError } from './tenants/tenants.ts';

/** What lies on the disk and in the database before an application can be opened on it. */
export type Prepared = { migrations: MigrationState; wasEmpty: boolean };

/** Makes the data folder, brings the database up to date, makes the master key at the very first start. */
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

/** A second, empty installation beside one that was moved would only confuse: its callers have other keys. */
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

/** A new key would not open what an old one sealed: better no start than a start that looks well. */
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

/** SQLite belongs to one server at a time; PostgreSQL may have many. */
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
