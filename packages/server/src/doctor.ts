import { existsSync } from 'node:fs';
import type { Config, Environment } from './config.ts';
import { type DbPlace, isFile } from './db/open.ts';
import { openView, type View } from './db/view.ts';
import { checkBlobs } from './doctor/blobs.ts';
import type { Check } from './doctor/check.ts';
import { checkClock, readDatabaseClocks } from './doctor/clock.ts';
import { checkConfiguration, checkNode } from './doctor/configuration.ts';
import { checkDecoder, checkUser } from './doctor/decoder.ts';
import { checkFolder } from './doctor/folder.ts';
import { checkMail } from './doctor/mail.ts';
import { checkKey, checkKeyOpens, checkNotMade } from './doctor/master-key.ts';
import { checkMetadata } from './doctor/metadata.ts';
import { checkMigrations } from './doctor/migrations.ts';
import { checkPages } from './doctor/pages.ts';
import { checkPort } from './doctor/port.ts';
import { checkPostgres, postgresUnreachable } from './doctor/postgres.ts';
import { checkSqlite, sqliteNotMade, sqliteUnreadable } from './doctor/sqlite.ts';
import { checkVision } from './doctor/vision.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { WEB_FOLDER } from './pages.ts';
import { everyTenantId } from './tenants/tenants.repository.ts';

export type { Check };

/**
 * Finds what is wrong with an installation, and says what to do. It changes nothing: it creates no folder and runs no
 * migration.
 */
export async function examine(
  environment: Environment,
  clock: Clock = systemClock,
  webFolder = WEB_FOLDER,
): Promise<Check[]> {
  const node = checkNode(process.versions.node);
  const { config, checks } = checkConfiguration(environment);
  if (!config) return [node, ...checks];
  return [
    node,
    ...checks,
    checkUser(process.getuid?.()),
    await checkDecoder(),
    ...checkFolder(config.dataFolder),
    await checkBlobs(config, clock),
    ...(await checkMail(config)),
    ...(await checkData(config, clock.now())),
    ...(await checkMetadata(config, clock.now())),
    await checkPages(webFolder),
    checkVision(config.vision),
    await checkPort(config),
  ];
}

/** Checks the master key, the database and the clock together, because each shows whether the others are right. */
async function checkData(config: Config, now: number): Promise<Check[]> {
  const key = checkKey(config);
  const db = config.database;
  if (isFile(db) && !existsSync(db.file)) {
    return [...key.checks, ...checkNotMade(key.missing), sqliteNotMade(db.file), checkClock({ system: now })];
  }
  let view: View | undefined;
  try {
    view = openView(db);
    // The database is first, because a damaged one says nothing about the key.
    const database = await (isFile(db) ? checkSqlite(db.file) : checkPostgres(view, db.maxConnections));
    const migrations = await checkMigrations(view);
    const opens = await checkKeyOpens(view, key, everyTenantId(view.system));
    const clock = checkClock({ system: now, ...(await readDatabaseClocks(view)) });
    return [...key.checks, ...opens, ...database, ...migrations, clock];
  } catch (error) {
    return [...key.checks, unreadable(db, error), checkClock({ system: now })];
  } finally {
    await view?.close();
  }
}

function unreadable(database: DbPlace, error: unknown): Check {
  const { message } = ((error as Error).cause ?? error) as Error;
  return isFile(database) ? sqliteUnreadable(database.file, message) : postgresUnreachable(message);
}
