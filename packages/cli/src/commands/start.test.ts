import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { grove, groveJson, issue, keysSeenBy, startForPeople, startGrove, temporaryFolder } from '../../test/grove.ts';
import { localFetch } from '../local-fetch.ts';

test('start --json', async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: folder };
  const clients = { GROVE_URL: 'http://localhost:1', GROVE_API_KEY: 'grv_live_none' };
  const first = await startGrove(t, { ...env, ...clients });
  const { ready, url } = first;
  const apiKey = ready.apiKey ?? '';

  await t.test('start prints its addresses and what it made, and the key works', async () => {
    assert.deepEqual(Object.keys(ready).sort(), [
      'apiKey',
      'baseUrl',
      'consoleUrl',
      'dataFolder',
      'database',
      'demoUrl',
      'docsUrl',
      'firstOwnerUrl',
      'liveDemoUrl',
      'openapiUrl',
      'pid',
      'port',
      'region',
      'tenantId',
      'tenantUrl',
      'testApiKey',
      'version',
    ]);
    assert.equal(ready.baseUrl, `http://localhost:${ready.port}`);
    assert.equal(ready.tenantUrl, `http://demo.fir.localhost:${ready.port}`);
    assert.equal(ready.dataFolder, folder);
    assert.equal(ready.database, 'sqlite');
    assert.deepEqual(
      (await keysSeenBy(url, apiKey)).map(({ name }) => name),
      ['Demonstration key', 'Demonstration test key'],
    );
    for (const address of [ready.docsUrl, ready.openapiUrl]) assert.equal((await fetch(address)).status, 200);
    assert.equal((await localFetch(`${ready.tenantUrl}/openapi.json`)).status, 200);
  });

  await t.test('start ignores the variables of the commands that call a server', async () => {
    assert.equal((await fetch(`${url}/health/ready`)).status, 200);
  });

  await t.test('start is refused on a data folder that another server uses', async () => {
    const { code, stderr } = await grove(['start'], env);
    assert.equal(code, 1);
    assert.match(stderr, /Another server is using the data folder/);
    assert.equal((await fetch(`${url}/health/ready`)).status, 200);
  });

  const visitor = await groveJson<{ id: string; code: string }>(['keys', 'create', 'visitor', '--tenant', 'demo'], env);
  const before = Date.now();
  await t.test('start exits with 0 on SIGTERM, and has printed exactly one line', async () => {
    assert.equal((await issue(url, visitor.code)).status, 200);
    assert.equal(await first.stop(), 0);
    assert.equal(first.output().stdout.trimEnd().split('\n').length, 1);
  });

  const second = await startGrove(t, env);
  await t.test('start shows the key of the sandbox a second time, and the live key only once', async () => {
    assert.equal(second.ready.apiKey, null);
    assert.equal(second.ready.testApiKey, ready.testApiKey);
    assert.equal((await issue(second.url, apiKey)).status, 200);
  });

  await t.test('a start knows the time of an issue just before the stop', async () => {
    const seen = (await keysSeenBy(second.url, apiKey)).find(({ id }) => id === visitor.id);
    assert.ok(Date.parse(seen?.lastIssuedAtDtm ?? '') >= before);
  });

  await t.test('start stops gracefully on SIGINT, even if npm and the terminal both send it', async () => {
    second.signal('SIGINT');
    second.signal('SIGTERM');
    assert.equal(await second.ended, 0);
  });
});

test('the two printed curl lines run in sh and give the list of API keys', async (t) => {
  const shown = await startForPeople(t, { GROVE_DATA: temporaryFolder(t) });
  const lines = shown.split('\n').filter((line) => /^(TOKEN=|curl )/.test(line));
  assert.equal(lines.length, 2);
  const { stdout, stderr } = spawnSync('sh', ['-c', lines.join('\n')], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(JSON.parse(stdout).content[0].name, 'Demonstration key');
});

test('start --no-demo makes no demonstration, and says how to make a tenant', async (t) => {
  const folder = temporaryFolder(t);
  const shown = await startForPeople(t, { GROVE_DATA: folder }, '--no-demo');
  assert.match(shown, /grove tenant create/);
  assert.doesNotMatch(shown, /grv_/);
  assert.equal(existsSync(`${folder}/demonstration.json`), false);
  assert.deepEqual((await groveJson<{ tenants: unknown[] }>(['tenant', 'list'], { GROVE_DATA: folder })).tenants, []);
});

test('start --no-demo --json has the plain address and no key', async (t) => {
  const { ready } = await startGrove(t, { GROVE_DATA: temporaryFolder(t) }, '--no-demo');
  const { baseUrl, tenantId, tenantUrl, apiKey, port } = ready;
  assert.deepEqual(
    { baseUrl, tenantId, tenantUrl, apiKey },
    { baseUrl: `http://localhost:${port}`, tenantId: null, tenantUrl: null, apiKey: null },
  );
});

test('start --demo makes the demonstration on a data folder that is not empty', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  await groveJson(['tenant', 'create', 'acme'], env);
  const server = await startGrove(t, env, '--demo');
  assert.equal(server.ready.tenantId, 'demo');
});

test('a server whose database takes no writes is ready without a link for the first owner, and stops at a signal', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startGrove(t, { GROVE_DATA: folder });
  assert.match(first.ready.firstOwnerUrl ?? '', /#invite=/);
  first.signal('SIGTERM');
  assert.equal(await first.ended, 0);
  const database = new DatabaseSync(`${folder}/grove.sqlite`);
  for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
    database.exec(`CREATE TRIGGER full_${change} BEFORE ${change} ON operators
      BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
  }
  database.close();
  const second = await startGrove(t, { GROVE_DATA: folder });
  assert.equal(second.ready.firstOwnerUrl, null);
  assert.match(second.output().stderr, /could not make the link of the first owner/);
  second.signal('SIGTERM');
  assert.equal(await second.ended, 0);
});

test('a port in use is reported with a remedy, and exits with 1', async (t) => {
  const holder = createServer().listen(0, 'localhost');
  t.after(() => holder.close());
  await new Promise((done) => holder.once('listening', done));
  const { port } = holder.address() as AddressInfo;
  const { code, stdout, stderr } = await grove(['start'], { GROVE_DATA: temporaryFolder(t), PORT: String(port) });
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, new RegExp(`Port ${port} is in use.*set PORT`));
  assert.doesNotMatch(stderr, /\n\s+at /);
});

test('every fault of the configuration is named at once, and exits with 2', async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: `${folder}/data`, PORT: 'eighty', GROVE_REGIN: 'fir' };
  const { code, stderr } = await grove(['start'], env);
  assert.equal(code, 2);
  assert.match(stderr, /PORT must be/);
  assert.match(stderr, /GROVE_REGIN is not a variable Grove knows; did you mean GROVE_REGION\?/);
  const machine = await grove(['start', '--json'], env);
  assert.equal(machine.stdout, '');
  assert.equal(JSON.parse(machine.stderr).error.faults.length, 2);
  assert.equal(existsSync(`${folder}/data`), false);
});

test('a wrong master key is refused with an explanation', async (t) => {
  const folder = temporaryFolder(t);
  await groveJson(['tenant', 'create', 'acme'], { GROVE_DATA: folder });
  writeFileSync(`${folder}/master.key`, `1:${Buffer.alloc(32, 7).toString('base64')}\n`);
  const { code, stderr } = await grove(['start'], { GROVE_DATA: folder });
  assert.equal(code, 1);
  assert.match(stderr, /^grove: The master key is not the one that sealed this database[^\n]*\n$/);
});

test('a second signal ends a server that still waits for a request, with 1', async (t) => {
  const server = await startGrove(t, { GROVE_DATA: temporaryFolder(t) });
  const slow = connect(server.ready.port, 'localhost');
  t.after(() => slow.destroy());
  slow.on('error', () => undefined);
  // A request whose body never arrives keeps the graceful stop waiting.
  slow.write('POST /api/arthr/apiKeys HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
  slow.write(
    `Authorization: Bearer ${(await issue(server.url, server.ready.apiKey ?? '')).token}\r\nContent-Length: 9\r\n\r\n`,
  );
  await issue(server.url, server.ready.apiKey ?? '');
  server.signal('SIGTERM');
  await new Promise((done) => setTimeout(done, 500));
  server.signal('SIGTERM');
  assert.equal(await server.ended, 1);
});

test('an uncaught error is reported with its stack on standard error, and exits with 1', async (t) => {
  for (const fault of ['throw new Error("a bug")', 'Promise.reject(new Error("a bug"))']) {
    const script = `process.on('SIGUSR2', () => { ${fault} })`;
    const server = await startGrove(t, {
      GROVE_DATA: temporaryFolder(t),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
    });
    server.signal('SIGUSR2');
    assert.equal(await server.ended, 1);
    const { message, stack } = JSON.parse(server.output().stderr).error;
    assert.equal(message, 'unexpected: a bug');
    assert.match(stack, /\n\s+at /);
  }
});
