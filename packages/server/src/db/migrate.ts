import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { forEngine } from './db.ts';
import { connectWritable } from './postgres/hosts.ts';
import { forceRowLevelSecurity } from './postgres/row-level-security.ts';
import { isBusy } from './sqlite/faults.ts';
import { hasTable, openView, type View, type ViewPlace } from './view.ts';

/**
 * Migrations run at start, under a lock, forward only. They are written once for both engines: SQL that only one of them
 * understands is in a comment that begins with its name, as in `WITHOUT ROWID` behind `sqlite`.
 */
export type Migration = { version: number; name: string; text: string; checksum: string };

const FOLDER = fileURLToPath(new URL('./migrations/', import.meta.url));
const LOCK_TIMEOUT_MS = 60_000;
// Any number that nothing else in the database uses.
const ADVISORY_LOCK = 7_340_127;

export function readMigrations(folder = FOLDER): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const versions = new Map<number, string>();
  return names.map((name) => {
    const version = Number(name.slice(0, 4));
    const twin = versions.get(version);
    if (twin !== undefined) throw new Error(`migration ${name} has the number of ${twin}`);
    versions.set(version, name);
    const text = readFileSync(`${folder}/${name}`, 'utf8');
    return { version, name, text, checksum: createHash('sha256').update(text).digest('hex') };
  });
}

export type MigrationState = { applied: Migration[]; pending: Migration[] };

export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations
  (version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)`;

const APPLIED = 'SELECT version, name, checksum FROM schema_migrations ORDER BY version';

/** Is recorded among the migrations, with version 0, while `grove move` fills the database. */
export const MOVE_MARK = 'unfinished-move';

/**
 * A migration that only adds: earlier releases continue to work, and may be started again after it. The mark is in the name,
 * because an earlier release knows nothing but the name.
 */
export const EXPANDS = '.expand.sql';

type AppliedMigration = { version: number; name: string; checksum: string };

/**
 * Compares the migrations of the database with those of this release. Ensures that a release does not run on the database of
 * a later one. Numbers are reserved while several migrations are written at once, so a lower number may arrive later.
 */
export function planMigrations(done: readonly AppliedMigration[], migrations: readonly Migration[]): MigrationState {
  const byVersion = new Map(migrations.map((migration) => [migration.version, migration]));
  const versions = new Set(done.map(({ version }) => version));
  for (const { version, name, checksum } of done) {
    if (name === MOVE_MARK) {
      throw new Error('A move into this database is not finished. Run the same grove move again to finish it.');
    }
    const ours = byVersion.get(version);
    if (!ours) {
      if (name.endsWith(EXPANDS)) continue;
      throw new Error(
        `The database was migrated by a newer release (it has ${name}). Start that release or a later one.`,
      );
    }
    if (ours.checksum !== checksum) {
      throw new Error(`Migration ${name} differs from the one that was applied to this database.`);
    }
  }
  const isApplied = ({ version }: Migration) => versions.has(version);
  return { applied: migrations.filter(isApplied), pending: migrations.filter((migration) => !isApplied(migration)) };
}

/** The applied and the pending migrations of a database. It changes nothing. */
export async function readMigrationState(
  databasePlace: ViewPlace,
  migrations = readMigrations(),
): Promise<MigrationState> {
  if (databasePlace.engine === 'sqlite' && !existsSync(databasePlace.file)) return planMigrations([], migrations);
  const view = openView(databasePlace);
  try {
    return planMigrations(await appliedMigrations(view), migrations);
  } finally {
    await view.close();
  }
}

/** The migrations that the database records; none before its first migration. */
export async function appliedMigrations(view: View): Promise<AppliedMigration[]> {
  return (await hasTable(view, 'schema_migrations')) ? view.system.all<AppliedMigration>({ text: APPLIED }, []) : [];
}

/** Called before each migration. */
export type OnMigration = (name: string, done: number, total: number) => void;

export function migrateSqlite(file: string, migrations = readMigrations(), onMigration?: OnMigration): MigrationState {
  const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
  try {
    writeAhead(database);
    database.exec('BEGIN IMMEDIATE');
    database.exec(MIGRATIONS_TABLE);
    const done = database.prepare(APPLIED).all();
    const plan = planMigrations(done as never, migrations);
    const record = database.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)');
    for (const [at, migration] of plan.pending.entries()) {
      onMigration?.(migration.name, at, plan.pending.length);
      database.exec(forEngine(migration.text, 'sqlite'));
      record.run(migration.version, migration.name, migration.checksum, Date.now());
    }
    database.exec('COMMIT');
    return plan;
  } finally {
    // Closing rolls an unfinished transaction back.
    database.close();
  }
}

const PAUSE_MS = 10;

/**
 * Switches the database to its write-ahead log. If several processes create a database at the same moment, SQLite refuses
 * all but one at once, whatever their timeout, because they might wait for each other; so the others try again.
 */
function writeAhead(database: DatabaseSync): void {
  const until = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() >= until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

export async function migratePostgres(
  url: string,
  migrations = readMigrations(),
  onMigration?: OnMigration,
): Promise<MigrationState> {
  const client = await connectWritable(url, { application_name: 'grove-migrate' });
  try {
    await client.query('BEGIN');
    // LOCAL to the transaction: a pooler would give the session to another client.
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    await client.query(MIGRATIONS_TABLE);
    const done = await client.query(APPLIED);
    const plan = planMigrations(done.rows, migrations);
    for (const [at, migration] of plan.pending.entries()) {
      onMigration?.(migration.name, at, plan.pending.length);
      await client.query(forEngine(migration.text, 'postgres'));
      await client.query('INSERT INTO schema_migrations VALUES ($1, $2, $3, $4)', [
        migration.version,
        migration.name,
        migration.checksum,
        Date.now(),
      ]);
    }
    if (plan.pending.length > 0) await forceRowLevelSecurity(client);
    await client.query('COMMIT');
    return plan;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}
