import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { after, type TestContext, test } from 'node:test';
import { grove, groveJson, issue, keysSeenBy, startGrove, temporaryFolder } from '../../test/grove.ts';

type Made = { tenantId: string; apiKey: string };

const original = mkdtempSync(`${tmpdir()}/grove-cli-`);
after(() => rmSync(original, { recursive: true, force: true }));
let made: Promise<Made> | undefined;

async function makeOriginal(): Promise<Made> {
  const env = { GROVE_DATA: `${original}/data` };
  const tenant = await groveJson<Made>(['tenant', 'create', 'acme'], env);
  await groveJson(['backup', `${original}/grove.backup`], env);
  return tenant;
}

/** An installation with one tenant, and its backup: each test gets a copy, because they are made once. */
async function backedUp(t: TestContext) {
  made ??= makeOriginal();
  const { apiKey } = await made;
  const folder = temporaryFolder(t);
  cpSync(original, folder, { recursive: true });
  return { folder, data: `${folder}/data`, file: `${folder}/grove.backup`, apiKey };
}

/** The files of a folder and their contents, without locks. */
function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.startsWith('server.lock'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(`${folder}/${name}`).toString('base64')]));
}

test('a backup taken while the server writes is complete, and restores into an empty folder with the same master key', async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: `${folder}/data`, GROVE_RATE_LIMIT: 'off' };
  const file = `${folder}/grove.backup`;
  const server = await startGrove(t, env);
  const apiKey = server.ready.apiKey ?? '';
  const { token } = await issue(server.url, apiKey);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  let writing = true;
  let written = 0;
  const writer = async () => {
    for (let at = 0; writing; at++) {
      const body = JSON.stringify({ name: `key ${at}` });
      const answer = await fetch(`${server.url}/api/arthr/apiKeys`, { method: 'POST', headers, body });
      assert.equal(answer.status, 201);
      written += 1;
    }
  };
  const writes = writer();
  while (written === 0) await new Promise((done) => setImmediate(done));
  const before = written;
  const { code, stdout, stderr } = await grove(['backup', file], env);
  writing = false;
  await writes;
  assert.deepEqual([code, stderr], [0, '']);
  assert.ok(written > before, 'something was written during the backup');
  assert.match(stdout, /The master key is NOT in it/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder).sort(), ['data', 'grove.backup']);
  assert.equal(await server.stop(), 0);

  const restored = { GROVE_DATA: `${folder}/restored` };
  mkdirSync(restored.GROVE_DATA);
  copyFileSync(`${env.GROVE_DATA}/master.key`, `${restored.GROVE_DATA}/master.key`);
  assert.equal((await grove(['restore', file], restored)).code, 0);
  const again = await startGrove(t, restored);
  const { apiKeys } = await groveJson<{ apiKeys: unknown[] }>(['keys', 'list'], {
    GROVE_URL: again.url,
    GROVE_API_KEY: apiKey,
  });
  assert.ok(apiKeys.length > before && apiKeys.length <= written + 1, `${apiKeys.length} keys`);
});

test('restore is refused with another master key, or none, and nothing changes', async (t) => {
  const { folder, data, file } = await backedUp(t);
  const elsewhere = `${folder}/elsewhere`;
  const none = await grove(['restore', file], { GROVE_DATA: elsewhere });
  assert.equal(none.code, 1);
  assert.match(none.stderr, /The master key is missing/);
  assert.deepEqual(contentsOf(elsewhere), {});
  writeFileSync(`${data}/master.key`, `1:${Buffer.alloc(32, 7).toString('base64')}\n`);
  const before = contentsOf(data);
  const wrong = await grove(['restore', file, '--force'], { GROVE_DATA: data });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /is not the one of this backup/);
  assert.deepEqual(contentsOf(data), before);
});

test('restore is refused while a server runs on the folder, and the server keeps working', async (t) => {
  const { data, file, apiKey } = await backedUp(t);
  const server = await startGrove(t, { GROVE_DATA: data });
  const { code, stderr } = await grove(['restore', file, '--force'], { GROVE_DATA: data });
  assert.equal(code, 1);
  assert.match(stderr, /Another server is using the data folder/);
  assert.equal((await issue(server.url, apiKey)).status, 200);
});

test('restore is refused for a file that is not a backup, and nothing changes', async (t) => {
  const { folder, data, file } = await backedUp(t);
  const before = contentsOf(data);
  const garbage = `${folder}/garbage`;
  const whole = readFileSync(file);
  for (const bytes of [
    Buffer.from('this is not a database at all'),
    whole.subarray(0, whole.length - 8192),
    Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 7)]),
  ]) {
    writeFileSync(garbage, bytes);
    const { code, stderr } = await grove(['restore', garbage, '--force'], { GROVE_DATA: data });
    assert.equal(code, 1);
    assert.match(stderr, /garbage (is|cannot)/);
    assert.deepEqual(contentsOf(data), before);
  }
  assert.equal((await grove(['restore', `${folder}/nothing`], { GROVE_DATA: data })).code, 1);
});

test('restore replaces a database only with --force, and keeps the old one beside', async (t) => {
  const { data, file, apiKey } = await backedUp(t);
  const env = { GROVE_DATA: data };
  const later = await groveJson<Made>(['tenant', 'create', 'later'], env);
  const before = contentsOf(data);
  const refused = await grove(['restore', file], env);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /--force/);
  assert.deepEqual(contentsOf(data), before);

  const { kept } = await groveJson<{ kept: string }>(['restore', file, '--force'], env);
  assert.match(kept, /grove\.sqlite\.before-restore-\d{4}-\d{2}-\d{2}T/);
  const server = await startGrove(t, env);
  assert.equal((await issue(server.url, apiKey)).status, 200);
  assert.equal((await issue(server.url, later.apiKey)).status, 401);
  assert.equal(await server.stop(), 0);

  await groveJson(['restore', kept, '--force'], env);
  const undone = await startGrove(t, env);
  assert.equal((await keysSeenBy(undone.url, later.apiKey)).length, 1);
});

test('a backup never replaces a file that is not a backup', async (t) => {
  const { folder, data } = await backedUp(t);
  const before = contentsOf(data);
  for (const name of ['master.key', 'grove.sqlite']) {
    const { code, stderr } = await grove(['backup', `${data}/${name}`], { GROVE_DATA: data });
    assert.equal(code, 1);
    assert.match(stderr, /give the backup another name/);
  }
  assert.deepEqual(contentsOf(data), before);
  assert.equal((await grove(['backup', `${folder}/no/such/folder`], { GROVE_DATA: data })).code, 1);
  assert.equal((await grove(['backup', `${folder}/x`], { GROVE_DATA: `${folder}/none` })).code, 1);
});

test('on PostgreSQL backup and restore name the tools of PostgreSQL', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t), DATABASE_URL: 'postgres://grove@localhost:1/grove' };
  for (const [command, tool] of [
    ['backup', /pg_dump/],
    ['restore', /pg_restore/],
  ] as const) {
    const { code, stderr } = await grove([command, 'x'], env);
    assert.equal(code, 1);
    assert.match(stderr, tool);
  }
});
