import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { sql } from '../db.ts';
import { migrateSqlite } from '../migrate.ts';
import { viewSqlite } from '../view.ts';
import { BackupError, backUpSqlite, restoreSqlite } from './backup.ts';
import { openSqlite } from './sqlite.ts';

const NOW = Date.parse('2030-01-02T03:04:05.678Z');
const ADD = sql('INSERT INTO tenants (id, name, status, created_at) VALUES ($1, $1, $2, $3)');
const BALLAST = sql(`INSERT INTO tenants (id, name, status, created_at) VALUES ('ballast', $2, 'ACTIVE', $1)`);
const BALLAST_BYTES = 40 * 1024 ** 2;

function temporary(t: TestContext): { folder: string; database: string; target: string } {
  const folder = mkdtempSync(join(tmpdir(), 'grove-backup-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, database: `${folder}/grove.sqlite`, target: `${folder}/backup.sqlite` };
}

function tenantsIn(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare('SELECT id FROM tenants ORDER BY id')
      .all()
      .map(({ id }) => String(id));
  } finally {
    database.close();
  }
}

async function addTenants(file: string, ...ids: string[]): Promise<void> {
  const db = openSqlite(file);
  for (const id of ids) await db.system.write((tx) => tx.run(ADD, [id, 'ACTIVE', NOW]));
  await db.close();
}

const restore = (source: string, database: string, force = false) =>
  restoreSqlite({ source, database, force, now: NOW, verify: async () => undefined });

test('a backup is consistent although the database is written all the time', { timeout: 60_000 }, async (t) => {
  const { folder, database, target } = temporary(t);
  migrateSqlite(database);
  const db = openSqlite(database);
  let at = 0;
  // Each transaction adds two rows, so a copy that mixes two states could contain an odd number.
  const write = () =>
    db.system.write(async (tx) => {
      for (const side of ['a', 'b']) await tx.run(ADD, [`${side}${String(at).padStart(6, '0')}`, 'ACTIVE', NOW]);
      at += 1;
    });
  // The database is so large that the copy takes several steps, with writes between them.
  await db.system.write((tx) => tx.run(BALLAST, [NOW, 'x'.repeat(BALLAST_BYTES)]));
  let copying = true;
  t.after(() => {
    copying = false;
  });
  const writer = (async () => {
    while (copying) {
      await write();
      // One turn of the event loop, in which the copy continues.
      await new Promise((done) => setImmediate(done));
    }
  })();
  const { bytes } = await backUpSqlite({ database, target });
  const during = at;
  copying = false;
  await writer;
  await db.close();
  assert.ok(during > 0, 'something was written meanwhile');
  const copied = tenantsIn(target).filter((id) => id !== 'ballast');
  assert.equal(copied.length % 2, 0, `${copied.length} rows`);
  assert.equal(statSync(target).size, bytes);
  assert.equal(statSync(target).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder).sort(), ['backup.sqlite', 'grove.sqlite']);
});

test('a backup that fails leaves the older one of the same name, and no partial file', async (t) => {
  const { folder, database, target } = temporary(t);
  migrateSqlite(database);
  await backUpSqlite({ database, target });
  const before = readFileSync(target);
  const whole = readFileSync(database);
  writeFileSync(database, Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 7)]));
  await assert.rejects(backUpSqlite({ database, target }), BackupError);
  assert.deepEqual(readFileSync(target), before);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.includes('partial')),
    [],
  );
});

test('a partial backup left behind does not prevent the next one', async (t) => {
  const { database, target } = temporary(t);
  migrateSqlite(database);
  writeFileSync(`${target}.partial`, 'left behind');
  await backUpSqlite({ database, target });
  assert.deepEqual(tenantsIn(target), []);
});

test('a restore keeps the replaced database with the content of its log', async (t) => {
  const { database, target } = temporary(t);
  migrateSqlite(database);
  await addTenants(database, 'before');
  await backUpSqlite({ database, target });
  // A process that is killed leaves its log behind.
  const killed = new DatabaseSync(database);
  killed.exec(`PRAGMA wal_autocheckpoint = 0; INSERT INTO tenants VALUES ('after', 'after', 'ACTIVE', 0)`);
  const log = readFileSync(`${database}-wal`);
  const main = readFileSync(database);
  killed.close();
  writeFileSync(database, main);
  writeFileSync(`${database}-wal`, log);

  const { keptFile } = await restore(target, database, true);
  assert.equal(keptFile, `${database}.before-restore-2030-01-02T03-04-05-678Z`);
  assert.deepEqual(tenantsIn(database), ['before']);
  assert.deepEqual(tenantsIn(keptFile ?? ''), ['after', 'before']);
});

test('a restore keeps a database that is too damaged to be opened, with its log', async (t) => {
  const { folder, database, target } = temporary(t);
  migrateSqlite(database);
  await addTenants(database, 'before');
  await backUpSqlite({ database, target });
  writeFileSync(database, 'damaged');
  writeFileSync(`${database}-wal`, 'its log');
  const { keptFile } = await restore(target, database, true);
  assert.equal(readFileSync(keptFile ?? '', 'utf8'), 'damaged');
  assert.equal(readFileSync(`${keptFile}-wal`, 'utf8'), 'its log');
  assert.deepEqual(tenantsIn(database), ['before']);
  assert.equal(readdirSync(folder).includes('grove.sqlite-wal'), false);
});

test('a damaged backup is not restored, and a damaged database is not backed up', async (t) => {
  const { folder, database, target } = temporary(t);
  migrateSqlite(database);
  await addTenants(database, 'a-tenant-of-the-past');
  await backUpSqlite({ database, target });
  // The row and its index differ, and everything can still be read.
  const bytes = readFileSync(target);
  bytes.write('a-tenant-of-the-pest', bytes.indexOf('a-tenant-of-the-past'));
  for (const file of [target, database]) writeFileSync(file, bytes);
  await assert.rejects(restore(target, database, true), /is damaged/);
  rmSync(target);
  await assert.rejects(backUpSqlite({ database, target }), /is damaged/);
  assert.deepEqual(readdirSync(folder), ['grove.sqlite']);
});

test('a restore is refused at once while somebody uses the database', async (t) => {
  const { database, target } = temporary(t);
  migrateSqlite(database);
  await backUpSqlite({ database, target });
  await addTenants(database, 'after');
  const other = new DatabaseSync(database);
  other.exec('BEGIN; SELECT count(*) FROM tenants');
  try {
    await assert.rejects(restore(target, database, true), /Another process is using/);
  } finally {
    other.close();
  }
  assert.deepEqual(tenantsIn(database), ['after']);
});

test('a file with a log beside it is not accepted as a backup', async (t) => {
  const { database, target } = temporary(t);
  migrateSqlite(target);
  writeFileSync(`${target}-wal`, 'its log');
  await assert.rejects(restore(target, database), /incomplete without the log beside it/);
});

test('a restore refuses a database of another application or of a newer release', async (t) => {
  const { folder, database, target } = temporary(t);
  const other = new DatabaseSync(target);
  other.exec('CREATE TABLE recipes (name TEXT)');
  other.close();
  await assert.rejects(restore(target, database), /is not a database of Grove/);
  rmSync(target);
  migrateSqlite(target);
  const newer = new DatabaseSync(target);
  newer.exec(`PRAGMA journal_mode = DELETE; INSERT INTO schema_migrations VALUES (9999, '9999_future.sql', 'x', 0)`);
  newer.close();
  await assert.rejects(restore(target, database), /newer release/);
  assert.deepEqual(readdirSync(folder), ['backup.sqlite']);
});

test('viewing a database leaves no files behind', async (t) => {
  const { folder, database } = temporary(t);
  migrateSqlite(database);
  await addTenants(database, 'acme');
  const view = viewSqlite(database);
  assert.equal((await view.system.get<{ id: string }>({ text: 'SELECT id FROM tenants' }, []))?.id, 'acme');
  await view.close();
  assert.deepEqual(readdirSync(folder), ['grove.sqlite']);
});

test('a restore refuses a backup whose tables and indexes differ from those of its migrations', async (t) => {
  const { database, target } = temporary(t);
  migrateSqlite(database);
  const changes = {
    'CREATE TRIGGER hidden AFTER INSERT ON audit_events BEGIN DELETE FROM audit_events; END':
      /has the trigger "hidden"/,
    'CREATE VIEW hidden AS SELECT * FROM tenants': /has the view "hidden"/,
    'CREATE VIRTUAL TABLE hidden USING fts5(text)': /has the table "hidden"/,
    'CREATE TABLE hidden (text TEXT)': /has the table "hidden", which Grove did not create/,
    'CREATE INDEX hidden ON tenants (name)': /has the index "hidden"/,
    'DROP INDEX journey_sessions_active': /lacks the index "journey_sessions_active"/,
    'DROP TABLE review_verdicts': /lacks the table "review_verdicts"/,
    'ALTER TABLE tenants ADD COLUMN hidden TEXT': /has another table "tenants"/,
    'DROP INDEX api_keys_name; CREATE INDEX api_keys_name ON api_keys (tenant_id, name_folded)':
      /has another index "api_keys_name"/,
  };
  for (const [change, message] of Object.entries(changes)) {
    await backUpSqlite({ database, target });
    const changed = new DatabaseSync(target);
    changed.exec(change);
    changed.close();
    await assert.rejects(restore(target, database, true), message, change);
    rmSync(target);
  }
  await backUpSqlite({ database, target });
  assert.equal((await restore(target, database, true)).database, database);
});
