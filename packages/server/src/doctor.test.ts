import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import pg from 'pg';
import { openTestApp, testPlaces } from '../test/harness.ts';
import { readConfig } from './config.ts';
import { readMigrationState } from './db/migrate.ts';
import { isFolderLocked } from './db/sqlite/folder-lock.ts';
import { openView } from './db/view.ts';
import { checkClock } from './doctor/clock.ts';
import { checkNode } from './doctor/configuration.ts';
import { checkFreeSpace } from './doctor/folder.ts';
import { checkPostgresFacts } from './doctor/postgres.ts';
import { type Check, examine } from './doctor.ts';
import { lockInstallation, prepareInstallation } from './installation.ts';
import { checkSeals } from './secrets/check-seals.ts';
import { openMasterKey } from './secrets/master-key.ts';
import { everyTenantId } from './tenants/tenants.repository.ts';

const states = (checks: readonly Check[]) => checks.map(({ state }) => state);
const faultsOf = (checks: readonly Check[]) => checks.filter(({ state }) => state === 'fault');

describe('the limits that doctor judges', () => {
  test('doctor reports a Node before 24 as a fault', () => {
    assert.deepEqual(states([checkNode('24.0.0'), checkNode('25.1.0'), checkNode('22.18.0')]), ['ok', 'ok', 'fault']);
  });

  test('doctor reports little free space as a warning, and almost none as a fault', () => {
    const checks = [2 * 1024 ** 3, 500 * 1024 ** 2, 50 * 1024 ** 2].map(checkFreeSpace);
    assert.deepEqual(states(checks), ['ok', 'warning', 'fault']);
  });

  test('doctor reports as a fault a clock of an impossible year, one that differs from the database, and one behind its newest rows', () => {
    const system = Date.parse('2030-01-01T00:00:00Z');
    const checks = [
      { system },
      { system, database: system + 4000, latest: system - 1000 },
      { system, database: system + 6000 },
      { system, database: system - 6000 },
      { system, latest: system + 6000 },
      { system: 0 },
    ].map(checkClock);
    assert.deepEqual(states(checks), ['ok', 'ok', 'fault', 'fault', 'fault', 'fault']);
  });

  test('doctor reports as a fault a PostgreSQL role without row-level security, and as a warning few connections', () => {
    const good = { version: 17, role: 'grove', superuser: false, bypasses: false, allowed: 100, used: 5 };
    const facts = { ...good, unforced: [], wantedConnections: 10 };
    assert.deepEqual(states(checkPostgresFacts(facts)), ['ok', 'ok', 'ok', 'ok']);
    const bad = { ...facts, version: 12, bypasses: true, unforced: ['api_keys'], used: 95 };
    assert.deepEqual(states(checkPostgresFacts(bad)), ['warning', 'fault', 'fault', 'warning']);
  });
});

describe('doctor on SQLite', () => {
  const places = testPlaces('sqlite');

  test('doctor sees the lock of a server without taking it', async () => {
    const { folder, environment } = await places.create();
    assert.equal(isFolderLocked(folder), false);
    const lock = lockInstallation(readConfig(environment));
    assert.equal(isFolderLocked(folder), true);
    assert.equal(isFolderLocked(folder), true);
    lock?.release();
    assert.equal(isFolderLocked(folder), false);
    lockInstallation(readConfig(environment))?.release();
  });

  test('doctor reports a Grove of another data folder on the port as a fault', async () => {
    const other = await openTestApp(await places.create());
    const { environment } = await places.create();
    await prepareInstallation(readConfig(environment));
    const port = new URL(other.baseUrl).port;
    const faults = faultsOf(await examine({ ...environment, HOST: '127.0.0.1', PORT: port }));
    await other.stop();
    assert.match(faults[0]?.message ?? '', /of another data folder/);
  });

  test('doctor reports a Grove that answers but is not ready as a fault', async () => {
    const { environment } = await places.create();
    const config = readConfig(environment);
    await prepareInstallation(config);
    const server = createServer((_request, response) => response.writeHead(503).end('{"code":100010}'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const lock = lockInstallation(config);
    const { port } = server.address() as AddressInfo;
    const faults = faultsOf(await examine({ ...environment, HOST: '127.0.0.1', PORT: String(port) }));
    lock?.release();
    server.closeAllConnections();
    server.close();
    assert.match(faults[0]?.message ?? '', /is not ready/);
  });

  test('doctor reports an address that this machine does not have as a fault', async () => {
    const { environment } = await places.create();
    const faults = faultsOf(await examine({ ...environment, HOST: '192.0.2.1', PORT: '1' }));
    assert.match(faults[0]?.message ?? '', /cannot be used/);
  });

  test('doctor opens every key and secret, whatever version of the master key sealed it', async () => {
    const place = await places.create();
    const { app, config, stop } = await openTestApp(place);
    await app.tenants.create({ id: 'other' });
    await stop();
    const view = openView(config.database);
    const seals = await checkSeals(view, openMasterKey(config.masterKey), everyTenantId(view.system));
    assert.deepEqual(seals, { sealed: 4, versions: new Set([1]), faults: [] });
    const wrong = openMasterKey({ env: `2:${Buffer.alloc(32, 7).toString('base64')}` });
    assert.equal((await checkSeals(view, wrong, everyTenantId(view.system))).faults.length, 4);
    await view.close();
  });
});

describe('doctor on PostgreSQL', () => {
  const places = testPlaces('postgres');

  test('doctor finds no fault in a healthy database, and migrates no empty one', async () => {
    const { environment } = await places.createEmpty();
    const config = readConfig(environment);
    const { pending } = await readMigrationState(config.database);
    assert.ok(pending.length > 0);
    const empty = await examine({ ...environment, PORT: '0' });
    assert.deepEqual(faultsOf(empty), []);
    assert.ok(empty.some(({ name, state }) => name === 'migrations' && state === 'warning'));
    assert.equal((await readMigrationState(config.database)).pending.length, pending.length);

    const { stop } = await openTestApp({ engine: 'postgres', environment, folder: config.dataFolder });
    const checks = await examine({ ...environment, PORT: '0' });
    await stop();
    assert.deepEqual(faultsOf(checks), []);
    assert.ok(checks.some(({ message }) => message.startsWith('Row-level security is forced')));
    assert.ok(checks.some(({ message }) => message.startsWith('It opens everything it sealed (3')));
  });

  test('doctor reports as faults a superuser and a table without forced row-level security', async () => {
    const { environment } = await places.create();
    await prepareInstallation(readConfig(environment));
    const url = new URL(environment.DATABASE_URL ?? '');
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query('ALTER TABLE api_keys NO FORCE ROW LEVEL SECURITY');
    await client.end();
    const admin = (await places.postgres()).adminUrl.replace('/postgres?', `${url.pathname}?`);
    const messages = faultsOf(await examine({ ...environment, PORT: '0', DATABASE_URL: admin })).map(
      ({ message }) => message,
    );
    assert.deepEqual(messages, ['The role admin is a superuser.', 'Row-level security is not forced on api_keys.']);
  });

  test('doctor reports as a fault a database that does not answer, without its password', async () => {
    const { environment } = await places.create();
    const DATABASE_URL = 'postgres://grove:s3cret@127.0.0.1:1/grove';
    const faults = faultsOf(await examine({ ...environment, PORT: '0', DATABASE_URL }));
    assert.match(faults[0]?.message ?? '', /does not answer/);
    assert.doesNotMatch(JSON.stringify(faults), /s3cret/);
  });
});
