import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { testChildren } from '../../test/child.ts';
import { databaseOf } from '../../test/database.ts';
import { onBothEngines, type TestPlace } from '../../test/harness.ts';
import { unprepared } from './db.ts';
import { EXPANDS, type Migration, migratePostgres, migrateSqlite, planMigrations, readMigrations } from './migrate.ts';
import { openDb } from './open.ts';

const migration = (version: number, text: string): Migration => ({
  version,
  name: `${String(version).padStart(4, '0')}_test.sql`,
  text,
  checksum: createHash('sha256').update(text).digest('hex'),
});

const FIRST = migration(
  1,
  'CREATE TABLE first (id TEXT PRIMARY KEY); CREATE TABLE also_first (tenant_id TEXT NOT NULL);',
);
const SECOND = migration(2, 'CREATE TABLE second (id TEXT PRIMARY KEY); INSERT INTO second VALUES (1);');
const BROKEN = migration(3, 'CREATE TABLE third (id TEXT PRIMARY KEY); INSERT INTO nowhere VALUES (1);');

const migrateWith = async (place: TestPlace, migrations?: Migration[]) => {
  const database = databaseOf(place);
  return database.engine === 'sqlite'
    ? migrateSqlite(database.file, migrations)
    : migratePostgres(database.url, migrations);
};

/** Reads the content of the database on a connection of its own. */
async function look(place: TestPlace): Promise<{ tables: string[]; applied: string[] }> {
  const db = openDb(databaseOf(place), () => undefined);
  try {
    const list =
      db.engine === 'sqlite'
        ? "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        : 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename';
    const tables = (await db.system.all<{ name: string }>(unprepared(list), [])).map(({ name }) => name);
    const applied = tables.includes('schema_migrations')
      ? await db.system.all<{ name: string }>(unprepared('SELECT name FROM schema_migrations ORDER BY version'), [])
      : [];
    return { tables, applied: applied.map(({ name }) => name) };
  } finally {
    await db.close();
  }
}

onBothEngines('migrations', (engine, places) => {
  const children = testChildren();

  it('migrations bring a fresh database to the state of this release', async () => {
    const place = await places.createEmpty();
    const migrations = readMigrations();
    const state = await migrateWith(place);
    assert.deepEqual([state.applied, state.pending], [[], migrations]);
    const { tables, applied } = await look(place);
    assert.deepEqual(
      applied,
      migrations.map(({ name }) => name),
    );
    for (const table of ['tenants', 'api_keys', 'tenant_keys', 'counters']) assert.ok(tables.includes(table), table);
  });

  it('migrations do nothing when they run again', async () => {
    const place = await places.createEmpty();
    await migrateWith(place);
    const before = await look(place);
    const state = await migrateWith(place);
    assert.deepEqual([state.applied, state.pending], [readMigrations(), []]);
    assert.deepEqual(await look(place), before);
  });

  it('migrations apply only what is new to a database of an older release', async () => {
    const place = await places.createEmpty();
    await migrateWith(place, [FIRST]);
    const { applied, pending } = await migrateWith(place, [FIRST, SECOND]);
    assert.deepEqual([applied, pending], [[FIRST], [SECOND]]);
    assert.deepEqual(await look(place), {
      tables: ['also_first', 'first', 'schema_migrations', 'second'],
      applied: ['0001_test.sql', '0002_test.sql'],
    });
  });

  it('migrations are applied once by four processes that start at the same moment', async () => {
    const place = await places.createEmpty();
    const started = [1, 2, 3, 4].map(() => children.start('migrate', place.environment));
    for (const child of started) assert.equal(await child.line(), 'ready');
    for (const child of started) child.tell('go');
    const counts = await Promise.all(started.map((child) => child.line()));
    const all = String(readMigrations().length);
    assert.deepEqual(counts.sort(), ['0', '0', '0', all].sort());
    assert.equal((await look(place)).applied.length, readMigrations().length);
  });

  it('migrations refuse a database to which another text was applied, name the migration, and change nothing', async () => {
    const place = await places.createEmpty();
    await migrateWith(place, [FIRST]);
    const before = await look(place);
    const changed = { ...migration(1, `${FIRST.text} -- changed`), name: FIRST.name };
    await assert.rejects(
      migrateWith(place, [changed, SECOND]),
      /Migration 0001_test\.sql differs from the one that was applied/,
    );
    assert.deepEqual(await look(place), before);
  });

  it('migrations accept a database of a newer release whose additional migrations only add', async () => {
    const place = await places.createEmpty();
    const adds = { ...SECOND, name: '0002_test.expand.sql' };
    await migrateWith(place, [FIRST, adds]);
    assert.deepEqual(await migrateWith(place, [FIRST]), { applied: [FIRST], pending: [] });
    assert.deepEqual((await migrateWith(place, [FIRST, adds])).pending, []);
  });

  it('migrations refuse a database of a newer release, name the reason, and change nothing', async () => {
    const place = await places.createEmpty();
    await migrateWith(place, [FIRST, SECOND]);
    const before = await look(place);
    await assert.rejects(
      migrateWith(place, [FIRST]),
      /migrated by a newer release \(it has 0002_test\.sql\)\. Start that release or a later one/,
    );
    assert.deepEqual(await look(place), before);
  });

  it('migrations that fail undo everything, also those that ran before them, and can be repeated', async () => {
    const place = await places.createEmpty();
    await assert.rejects(migrateWith(place, [FIRST, SECOND, BROKEN]), /nowhere/);
    assert.deepEqual(await look(place), { tables: [], applied: [] });
    await migrateWith(place, [FIRST]);
    await assert.rejects(migrateWith(place, [FIRST, SECOND, BROKEN]), /nowhere/);
    assert.deepEqual(await look(place), {
      tables: ['also_first', 'first', 'schema_migrations'],
      applied: ['0001_test.sql'],
    });
    await migrateWith(place, [FIRST, SECOND, migration(3, 'CREATE TABLE third (id TEXT PRIMARY KEY)')]);
    assert.equal((await look(place)).applied.length, 3);
  });

  it('migrations run the SQL in comments for their engine, and not that for the other engine', async () => {
    const place = await places.createEmpty();
    const text = 'CREATE TABLE engines (id TEXT /*sqlite , sqlite TEXT*/ /*postgres , postgres TEXT*/)';
    await migrateWith(place, [migration(1, text)]);
    const db = openDb(databaseOf(place), () => undefined);
    await db.system.get(unprepared(`SELECT ${engine} FROM engines`), []);
    await assert.rejects(
      db.system.get(unprepared(`SELECT ${engine === 'sqlite' ? 'postgres' : 'sqlite'} FROM engines`), []),
    );
    await db.close();
  });
});

describe('the list of migrations', () => {
  it('the list of migrations contains every number at most once, and may leave out numbers', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'grove-test-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, '0001_one.sql'), 'SELECT 1');
    writeFileSync(join(folder, '0003_three.sql'), 'SELECT 1');
    writeFileSync(join(folder, 'notes.md'), 'not a migration');
    assert.deepEqual(
      readMigrations(folder).map(({ version, name }) => [version, name]),
      [
        [1, '0001_one.sql'],
        [3, '0003_three.sql'],
      ],
    );
    writeFileSync(join(folder, '0003_too.sql'), 'SELECT 1');
    assert.throws(() => readMigrations(folder), /0003_too\.sql has the number of 0003_three\.sql/);
  });

  it('the list of migrations is compared by number: one that the database lacks is pending, even if it has higher ones', () => {
    const { applied, pending } = planMigrations([FIRST], [FIRST, SECOND]);
    assert.deepEqual([applied, pending], [[FIRST], [SECOND]]);
    const late = planMigrations([FIRST, BROKEN], [FIRST, SECOND, BROKEN]);
    assert.deepEqual([late.applied, late.pending], [[FIRST, BROKEN], [SECOND]]);
  });
});

/** Migrations up to this number are older than the rule. */
const LAST_BEFORE_RULE = 42;

describe('the names of migrations', () => {
  it('the names of migrations say whether older releases still work: .expand.sql only adds, .contract.sql removes what no release uses', () => {
    const names = readMigrations().filter(({ version }) => version > LAST_BEFORE_RULE);
    for (const { name, text } of names) {
      assert.match(name, /^\d{4}_\w+\.(expand|contract)\.sql$/);
      if (name.endsWith(EXPANDS)) assert.doesNotMatch(text, /\b(DROP (TABLE|COLUMN)|RENAME (TO|COLUMN))\b/i, name);
    }
  });
});
