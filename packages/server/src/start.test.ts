import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from 'grove-idv-sdk';
import { testChildren } from '../test/child.ts';
import { onBothEngines, type TestPlace, testPlaces } from '../test/harness.ts';
import { readConfig } from './config.ts';
import { type Running, type StartOptions, startServer } from './start.ts';
import { OperatorError } from './tenants/tenants.ts';

const QUIET = { PORT: '0', HOST: '127.0.0.1', GROVE_LOG_LEVEL: 'silent' };
const start = (place: TestPlace, options?: StartOptions, more = {}) =>
  startServer(readConfig({ ...QUIET, ...place.environment, ...more }), { isOnlyServer: true, ...options });

/** Starts a server, runs the check and stops the server. */
async function started<T>(
  place: TestPlace,
  look: (server: Running) => T | Promise<T>,
  options?: StartOptions,
): Promise<T> {
  const server = await start(place, options);
  try {
    return await look(server);
  } finally {
    await server.stop();
  }
}

const keysOf = ({ port, demonstration }: Running) =>
  createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: demonstration?.apiKey ?? demonstration?.testApiKey ?? '',
    maxRetries: 0,
  }).apiKeys.list({});

describe('the demonstration', () => {
  const places = testPlaces('sqlite');
  const fileOf = (place: TestPlace) => join(place.folder, 'demonstration.json');

  it('the demonstration is created on an empty folder, with a working key, stored only for its owner', async () => {
    const place = await places.create();
    await started(place, async (server) => {
      assert.equal(server.demonstration?.tenantId, 'demo');
      assert.equal((await keysOf(server)).totalElements, 2);
    });
    assert.equal(statSync(fileOf(place)).mode & 0o777, 0o600);
  });

  it('the demonstration is shown again at the second start, with the same key of the sandbox; no file contains the live key', async () => {
    const place = await places.create();
    const first = await started(place, ({ demonstration }) => demonstration);
    assert.ok(first?.apiKey);
    assert.doesNotMatch(readFileSync(fileOf(place), 'utf8'), /grv_live_/);
    await started(place, async (server) => {
      assert.deepEqual(server.demonstration, { ...first, apiKey: undefined });
      assert.equal((await keysOf(server)).number, 0);
    });
  });

  it('the demonstration removes the live key that an earlier release stored in the file', async () => {
    const place = await places.create();
    const first = await started(place, ({ demonstration }) => demonstration);
    writeFileSync(fileOf(place), JSON.stringify(first), { mode: 0o600 });
    await started(place, ({ demonstration }) => assert.equal(demonstration?.apiKey, undefined));
    assert.doesNotMatch(readFileSync(fileOf(place), 'utf8'), /grv_live_/);
    assert.equal(statSync(fileOf(place)).mode & 0o777, 0o600);
  });

  it('the demonstration is neither created nor shown with the option "never"', async () => {
    const place = await places.create();
    await started(
      place,
      async ({ app, demonstration }) => {
        assert.equal(demonstration, undefined);
        assert.deepEqual(await app.tenants.list(), []);
      },
      { demonstration: 'never' },
    );
    assert.ok(!existsSync(fileOf(place)));
    // The folder is no longer empty, so a later start creates none either.
    assert.equal(await started(place, ({ demonstration }) => demonstration), undefined);

    const demoPlace = await places.create();
    await started(demoPlace, ({ demonstration }) => assert.ok(demonstration));
    assert.equal(await started(demoPlace, ({ demonstration }) => demonstration, { demonstration: 'never' }), undefined);
  });

  it('the demonstration is not created if tenants exist already', async () => {
    const place = await places.create();
    await started(place, ({ app }) => app.tenants.create({ id: 'acme' }), { demonstration: 'never' });
    await started(place, async ({ app, demonstration }) => {
      assert.equal(demonstration, undefined);
      assert.deepEqual(
        (await app.tenants.list()).map(({ id }) => id),
        ['acme'],
      );
    });
  });

  it('the demonstration is created once with the option "always", and lost keys are replaced', async () => {
    const place = await places.create();
    const always = { demonstration: 'always' } as const;
    await started(place, () => undefined, { demonstration: 'never' });
    const first = await started(place, ({ demonstration }) => demonstration, always);
    const again = await started(place, ({ demonstration }) => demonstration, always);
    assert.deepEqual(again, { ...first, apiKey: undefined });
    rmSync(fileOf(place));
    await started(
      place,
      async (server) => {
        assert.notEqual(server.demonstration?.apiKey, first?.apiKey);
        assert.equal((await keysOf(server)).totalElements, 4);
        assert.equal((await server.app.tenants.list()).length, 1);
      },
      always,
    );
  });

  it('the demonstration shows no key of a deleted database', async () => {
    const place = await places.create();
    const first = await started(place, ({ demonstration }) => demonstration);
    for (const ending of ['', '-wal', '-shm']) rmSync(join(place.folder, `grove.sqlite${ending}`), { force: true });
    await started(place, async (server) => {
      assert.notEqual(server.demonstration?.apiKey, first?.apiKey);
      assert.equal((await keysOf(server)).totalElements, 2);
      const { apiKey: _, ...stored } = server.demonstration ?? {};
      assert.deepEqual(JSON.parse(readFileSync(fileOf(place), 'utf8')), stored);
    });
  });
});

describe('two servers on one data folder', () => {
  const places = testPlaces('sqlite');
  const children = testChildren();

  it('a second server on one data folder is refused and does no harm, until the first one stops', async () => {
    const place = await places.create();
    const first = await start(place);
    await assert.rejects(
      start(place),
      (error) => error instanceof OperatorError && /Another server/.test(error.message),
    );
    assert.equal((await keysOf(first)).totalElements, 2);
    await first.stop();
    // Only the first start shows the live key; a test key sees only itself.
    await started(place, async (server) => assert.equal((await keysOf(server)).totalElements, 1));
  });

  it('a second server on one data folder is refused in another process, too; a lock ends with its process, even a killed one', async () => {
    const place = await places.create();
    const holder = children.start('server', { ...QUIET, ...place.environment });
    assert.match(await holder.line(), /^\d+$/);
    await assert.rejects(start(place), /Another server is using the data folder/);
    const second = children.start('server', { ...QUIET, ...place.environment });
    await assert.rejects(second.line(), /Another server is using the data folder/);
    await holder.kill('SIGKILL');
    await started(place, ({ port }) => assert.ok(port > 0));
  });
});

onBothEngines('a server', (engine, places) => {
  it('a server that cannot listen releases everything, so that the next start works', async () => {
    const place = await places.create();
    const other = await start(await places.create());
    await assert.rejects(start(place, {}, { PORT: String(other.port) }), /EADDRINUSE/);
    await other.stop();
    await started(place, ({ port }) => assert.ok(port > 0));
  });

  it('a server that cannot open its data releases everything, so that the next start works', async () => {
    const place = await places.create();
    const file = join(place.folder, 'wrong.key');
    writeFileSync(file, '1:wrong');
    await assert.rejects(start(place, {}, { GROVE_MASTER_KEY_FILE: file }), /master key file .* must hold/);
    await started(place, ({ port }) => assert.ok(port > 0));
  });

  it('the address of a tenant has the port on which the server really listens', async () => {
    await started(await places.create(), ({ port, baseUrlOf }) => {
      assert.ok(port > 0);
      assert.equal(baseUrlOf('acme'), `http://acme.fir.localhost:${port}`);
    });
  });

  it('a server creates a demonstration by default only on an empty data folder of its own', async () => {
    await started(await places.create(), ({ demonstration }) => {
      assert.equal(demonstration !== undefined, engine === 'sqlite');
    });
  });
});
