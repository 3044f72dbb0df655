import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { openTestApp, type TestPlace, testPlaces } from '../../../test/harness.ts';
import { readConfig } from '../../config.ts';
import { prepareInstallation } from '../../installation.ts';
import { keepMoved, purgeKeptDatabases } from '../sqlite/kept-databases.ts';
import { type MoveOptions, moveDatabase } from './move-database.ts';

const STRANGE = ['tab\tand\nline\r', 'back\\slash \\N', '\b\f\v', 'Zoë 🌳', '', '\\.', 'quote \' " $1'];

describe('a move from SQLite to PostgreSQL', () => {
  const sqlite = testPlaces('sqlite');
  const postgres = testPlaces('postgres');
  let source: TestPlace;
  let file: string;
  let apiKey: string;
  let instanceId: string;

  before(async () => {
    source = await sqlite.create();
    file = `${source.folder}/grove.sqlite`;
    const app = await openTestApp(source);
    await app.app.tenants.create({ id: 'other' });
    const { id } = await app.client.processTokens.create({ body: { name: 'Moves', processDefnName: 'document-only' } });
    const instance = await app.client.processInstances.create({ query: { pt: id } });
    instanceId = instance.processInstanceId;
    apiKey = app.apiKey;
    await app.stop();
    const database = new DatabaseSync(file);
    const setting = database.prepare('INSERT INTO tenant_settings VALUES (?, ?, ?, ?, ?)');
    for (const [at, text] of STRANGE.entries()) setting.run('acme', `strange-${at}`, text, at, text);
    const columns = 'tenant_id, instance_id, name, step, type, status, score, threshold, attempts, at';
    const check = database.prepare(
      `INSERT INTO instance_checks (${columns}) VALUES ('acme', ?, ?, 's', 't', 'PASSED', ?, ?, 1, 1)`,
    );
    for (const [at, score] of [0.1, 1e-7, 123456789.125, 0, -0, 5e300].entries())
      check.run(instanceId, `c${at}`, score, null);
    database.close();
  });

  const urlOf = async () => (await postgres.createEmpty()).environment.DATABASE_URL as string;
  const move = (url: string, options: Partial<MoveOptions> = {}) =>
    moveDatabase({ file, url, restart: false, onProgress: () => undefined, batchRows: 5, ...options });

  it('a move from SQLite to PostgreSQL copies every table, with the indexes, keys and row-level security of a fresh database, and the server works on it', async () => {
    const url = await urlOf();
    const tables = await move(url);
    assert.ok(tables.length > 60);
    assert.equal(tables.find(({ table }) => table === 'tenants')?.rows, 2);
    const fresh = (await postgres.create()).environment.DATABASE_URL as string;
    assert.deepEqual(await schemaOf(url), await schemaOf(fresh));
    const app = await openTestApp({
      ...source,
      engine: 'postgres',
      environment: { ...source.environment, DATABASE_URL: url },
    });
    const token = await app.token(apiKey);
    const answer = await app.call(`/api/process-manager/processInstances/${instanceId}`, { token });
    assert.equal(answer.status, 200);
    const rows = await app.app.db
      .of('acme' as never)
      .all<{ value: string }>(
        { text: `SELECT value FROM tenant_settings WHERE name LIKE 'strange-%' ORDER BY name` },
        [],
      );
    assert.deepEqual(
      rows.map(({ value }) => value),
      STRANGE,
    );
    const none = await app.app.db.of('other' as never).all({ text: 'SELECT 1 FROM process_instances' }, []);
    assert.deepEqual(none, [], 'row-level security is back');
    await app.stop();
    await assert.rejects(move(url), /not empty/);
  });

  it('a move from SQLite to PostgreSQL continues after an interruption, and no server starts on an unfinished copy', async () => {
    const url = await urlOf();
    const stages: string[] = [];
    for (const [stage, at] of [
      ['copy', 3],
      ['copy', 20],
      ['compare', 2],
      ['finish', 4],
    ] as const) {
      let count = 0;
      const onProgress: MoveOptions['onProgress'] = (progress) => {
        if (progress.stage === 'copy' && progress.done > 0) stages.push(`${progress.what} ${progress.done}`);
        if (progress.stage === stage && ++count === at) throw new Error('interrupted');
      };
      await assert.rejects(move(url, { onProgress }), /interrupted/);
      const config = readConfig({ ...source.environment, DATABASE_URL: url });
      await assert.rejects(prepareInstallation(config), /A move into this database is not finished/);
    }
    const tables = await move(url);
    assert.ok(tables.every(({ hash }) => /^[0-9a-f]{32}$/.test(hash)));
    assert.ok(stages.length > 0);
  });

  it('a move from SQLite to PostgreSQL finds a row that differs, and begins again with the option restart', async () => {
    const url = await urlOf();
    const stop: MoveOptions['onProgress'] = ({ stage }) => {
      if (stage === 'compare') throw new Error('interrupted');
    };
    await assert.rejects(move(url, { onProgress: stop }), /interrupted/);
    await query(url, "UPDATE tenants SET name = 'Mallory' WHERE id = 'other'");
    await assert.rejects(move(url), /tenants differs: 2 rows in SQLite, 2 in PostgreSQL/);
    await move(url, { restart: true });
  });

  it('a move from SQLite to PostgreSQL refuses to continue with another source, and to write into a database in use', async () => {
    const url = await urlOf();
    const stop: MoveOptions['onProgress'] = () => assert.fail('interrupted');
    await assert.rejects(move(url, { onProgress: stop }), /interrupted/);
    const copy = `${source.folder}/copy.sqlite`;
    cpSync(file, copy);
    const changed = new DatabaseSync(copy);
    changed.exec("UPDATE tenants SET name = 'changed'");
    changed.close();
    await assert.rejects(move(url, { file: copy }), /has changed since this move began/);
    const foreign = await urlOf();
    await query(foreign, 'CREATE TABLE theirs (id INTEGER)');
    await assert.rejects(move(foreign), /not those of Grove: theirs/);
  });

  it('a data folder whose database was moved starts no server on SQLite, and the old database is removed after a week', () => {
    const folder = `${source.folder}/moved`;
    cpSync(file, `${folder}/grove.sqlite`);
    keepMoved(`${folder}/grove.sqlite`, Date.UTC(2030, 0, 1));
    const config = readConfig({ GROVE_DATA: folder });
    return assert.rejects(prepareInstallation(config), /was moved to PostgreSQL: set DATABASE_URL/).then(() => {
      assert.deepEqual(purgeKeptDatabases(`${folder}/grove.sqlite`, Date.UTC(2030, 0, 7)), []);
      assert.equal(purgeKeptDatabases(`${folder}/grove.sqlite`, Date.UTC(2030, 0, 9)).length, 1);
      assert.ok(!existsSync(`${folder}/grove.sqlite`));
    });
  });
});

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function schemaOf(url: string): Promise<unknown[]> {
  return [
    await query(url, `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`),
    await query(
      url,
      `SELECT conrelid::regclass::text AS t, conname, pg_get_constraintdef(oid) AS d FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    ),
    await query(
      url,
      `SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    ),
    await query(url, 'SELECT version, name, checksum FROM schema_migrations ORDER BY 1'),
  ];
}
