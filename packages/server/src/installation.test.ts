import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { onBothEngines, openTestApp, type TestPlace, testPlaces } from '../test/harness.ts';
import { openApp } from './app.ts';
import { readConfig } from './config.ts';
import { unprepared } from './db/db.ts';
import { openDb } from './db/open.ts';
import { lockInstallation, prepareInstallation } from './installation.ts';
import { OperatorError } from './tenants/tenants.ts';

const configOf = (place: TestPlace, more = {}) =>
  readConfig({ PORT: '0', GROVE_LOG_LEVEL: 'silent', ...place.environment, ...more });
const mode = (file: string) => statSync(file).mode & 0o777;

/** All stored data: the rows of the tables, on either engine. */
async function contents(place: TestPlace): Promise<string> {
  const db = openDb(configOf(place).database, () => undefined);
  try {
    const tables = ['tenants', 'system_secrets', 'signing_keys', 'key_tenants', 'schema_migrations'];
    const rows = await Promise.all(
      tables.map((table) => db.system.all(unprepared(`SELECT * FROM ${table} ORDER BY 1, 2`), [])),
    );
    return JSON.stringify(rows);
  } finally {
    await db.close();
  }
}

onBothEngines('an installation', (engine, places) => {
  it('an installation is created in a folder of its own, only for its owner, and not a second time', async () => {
    const place = await places.createEmpty();
    rmSync(place.folder, { recursive: true });
    const config = configOf(place);
    const first = await prepareInstallation(config);
    assert.equal(first.wasEmpty, engine === 'sqlite');
    assert.ok(first.migrations.pending.length > 0);
    assert.equal(mode(place.folder), 0o700);
    for (const name of readdirSync(place.folder)) assert.equal(mode(join(place.folder, name)), 0o600, name);
    const key = readFileSync(join(place.folder, 'master.key'), 'utf8');

    const second = await prepareInstallation(config);
    assert.deepEqual([second.wasEmpty, second.migrations.pending], [false, []]);
    assert.equal(readFileSync(join(place.folder, 'master.key'), 'utf8'), key);
  });

  it('an installation without its master key is refused with what to do about it, and nothing is written', async () => {
    const place = await places.create();
    await (await openTestApp(place)).stop();
    const file = join(place.folder, 'master.key');
    const key = readFileSync(file, 'utf8');
    rmSync(file);
    const before = { files: readdirSync(place.folder).sort(), rows: await contents(place) };
    await assert.rejects(prepareInstallation(configOf(place)), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /holds sealed data, but its master key is missing/);
      for (const remedy of [file, 'Put the file back', 'GROVE_MASTER_KEY', 'GROVE_MASTER_KEY_FILE']) {
        assert.ok(error.message.includes(remedy), remedy);
      }
      return true;
    });
    assert.deepEqual({ files: readdirSync(place.folder).sort(), rows: await contents(place) }, before);

    const elsewhere = join(place.folder, 'elsewhere.key');
    await assert.rejects(
      prepareInstallation(configOf(place, { GROVE_MASTER_KEY_FILE: elsewhere })),
      /elsewhere\.key does not exist/,
    );
    assert.ok(!existsSync(elsewhere));

    writeFileSync(file, key);
    await prepareInstallation(configOf(place));
    await (await openTestApp(place)).stop();
  });

  it('an installation uses a master key from the environment and then creates no file', async () => {
    const place = await places.create();
    const config = configOf(place, { GROVE_MASTER_KEY: `1:${Buffer.alloc(32, 5).toString('base64')}` });
    await prepareInstallation(config);
    const app = await openApp(config);
    await app.stop();
    assert.ok(!existsSync(join(place.folder, 'master.key')));
  });

  it('an installation does not open with a wrong master key, and keeps its data', async () => {
    const place = await places.create();
    await (await openTestApp(place)).stop();
    const before = await contents(place);
    const config = configOf(place, { GROVE_MASTER_KEY: `1:${Buffer.alloc(32, 6).toString('base64')}` });
    await prepareInstallation(config);
    await assert.rejects(openApp(config), (error) => {
      assert.ok(error instanceof OperatorError, String(error));
      assert.match(error.message, /master key is not the one that sealed this database/);
      return true;
    });
    assert.equal(await contents(place), before);
  });
});

describe('a data folder', () => {
  const places = testPlaces('sqlite');

  it('a data folder that cannot be created is refused by name, with the reason', async () => {
    const place = await places.create();
    const file = join(place.folder, 'a file');
    writeFileSync(file, '');
    const config = readConfig({ GROVE_DATA: join(file, 'data') });
    await assert.rejects(prepareInstallation(config), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /The data folder .*a file\/data cannot be made: ENOTDIR/);
      return true;
    });
    assert.throws(() => lockInstallation(config), OperatorError);
  });

  it('a data folder has one holder of its lock at a time, and the next one after its release', async () => {
    const config = configOf(await places.create());
    const lock = lockInstallation(config);
    assert.ok(lock);
    assert.throws(
      () => lockInstallation(config),
      (error) => {
        assert.ok(error instanceof OperatorError);
        assert.ok(
          error.message.startsWith(`Another server is using the data folder ${config.dataFolder}. Stop it first`),
        );
        return true;
      },
    );
    lock.release();
    lockInstallation(config)?.release();
  });

  it('a data folder that is locked does not stop a server of another folder', async () => {
    const one = lockInstallation(configOf(await places.create()));
    const other = lockInstallation(configOf(await places.create()));
    assert.ok(one && other);
    one.release();
    other.release();
  });

  it('a data folder is not locked on PostgreSQL, where many servers share the data', async () => {
    const config = configOf(await places.create(), { DATABASE_URL: 'postgres://localhost/grove' });
    assert.equal(lockInstallation(config), undefined);
    assert.equal(lockInstallation(config), undefined);
  });

  it('a data folder whose lock cannot be opened causes that error, and not the report of another running server', async () => {
    const config = configOf(await places.create());
    mkdirSync(join(config.dataFolder, 'server.lock'));
    assert.throws(
      () => lockInstallation(config),
      (error) => !(error instanceof OperatorError),
    );
  });
});
