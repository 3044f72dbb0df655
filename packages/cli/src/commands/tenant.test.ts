import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { grove, groveJson, issue, keysSeenBy, startGrove, temporaryFolder } from '../../test/grove.ts';

function keyOf(database: string, tenantId: string): Uint8Array {
  const file = new DatabaseSync(database, { readOnly: true });
  const row = file.prepare('SELECT sealed FROM tenant_keys WHERE tenant_id = ?').get(tenantId);
  file.close();
  return row?.sealed as Uint8Array;
}

type Made = { tenantId: string; name: string; apiKey: string; baseUrl: string | null };

test('a tenant made while the server runs can be used at once by its key', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  const { url } = await startGrove(t, env);
  const made = await groveJson<Made>(['tenant', 'create', 'acme', '--name', 'Acme Ltd'], env);
  assert.equal(made.tenantId, 'acme');
  assert.deepEqual(
    (await keysSeenBy(url, made.apiKey)).map(({ name }) => name),
    ['First key'],
  );
  const { tenants } = await groveJson<{ tenants: { id: string; name: string }[] }>(['tenant', 'list'], env);
  assert.deepEqual(
    tenants.map(({ id, name }) => [id, name]),
    [
      ['acme', 'Acme Ltd'],
      ['demo', 'Demonstration'],
    ],
  );
});

test('tenant create makes the installation if there is none, and shows the address and the key once', async (t) => {
  const env = { GROVE_DATA: `${temporaryFolder(t)}/new`, PORT: '8099' };
  const { code, stdout, stderr } = await grove(['tenant', 'create', 'acme'], env);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /http:\/\/acme\.fir\.localhost:8099/);
  const [apiKey = ''] = /grv_live_\S+/.exec(stdout) ?? [];
  const server = await startGrove(t, { ...env, PORT: '0' });
  assert.equal(server.ready.tenantId, null);
  assert.equal((await issue(server.url, apiKey)).status, 200);
});

test('a tenant that exists, or whose id is not valid in an address, is refused with 1', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  await groveJson(['tenant', 'create', 'acme'], env);
  const again = await grove(['tenant', 'create', 'acme'], env);
  assert.deepEqual([again.code, again.stdout, again.stderr], [1, '', 'grove: The tenant acme already exists\n']);
  const wrong = await grove(['tenant', 'create', 'Acme_Ltd', '--json'], env);
  assert.equal(wrong.code, 1);
  assert.match(JSON.parse(wrong.stderr).error.message, /3 to 40 characters/);
});

test('tenant list makes nothing where there is no installation', async (t) => {
  const folder = `${temporaryFolder(t)}/none`;
  const { code, stderr } = await grove(['tenant', 'list'], { GROVE_DATA: folder });
  assert.equal(code, 1);
  assert.match(stderr, /There is no installation yet/);
  assert.equal(existsSync(folder), false);
});

test('a suspended tenant is refused with 100320; delete requires a suspended tenant, asks, removes everything and gives a receipt', async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: `${folder}/data` };
  await groveJson(['tenant', 'create', 'other'], env);
  const { apiKey } = await groveJson<Made>(['tenant', 'create', 'acme'], env);
  const inUse = await grove(['tenant', 'delete', 'acme', '--yes'], env);
  assert.equal(inUse.code, 1);
  assert.match(inUse.stderr, /Suspend it first: grove tenant suspend acme/);
  assert.equal((await groveJson<{ status: string }>(['tenant', 'suspend', 'acme'], env)).status, 'SUSPENDED');
  const { url } = await startGrove(t, env);
  const refused = await issue(url, apiKey);
  assert.deepEqual([refused.status, refused.body.code], [403, 100320]);
  const database = join(env.GROVE_DATA, 'grove.sqlite');
  const isStored = (bytes: Uint8Array) =>
    [database, `${database}-wal`].some((each) => readFileSync(each).includes(Buffer.from(bytes)));
  const tenantKey = keyOf(database, 'acme');
  assert.ok(isStored(tenantKey));
  const asked = await grove(['tenant', 'delete', 'acme'], env);
  assert.deepEqual([asked.code, asked.stderr.includes('There is no terminal to ask for confirmation')], [2, true]);
  const file = `${folder}/receipt.json`;
  const done = await groveJson<{ sub: string; isResumed: boolean; rowsRemoved: Record<string, number>; jws: string }>(
    ['tenant', 'delete', 'acme', '--yes', '--receipt', file],
    env,
  );
  assert.equal(done.sub, 'acme');
  assert.equal(done.isResumed, false);
  assert.equal(done.rowsRemoved.api_keys, 1);
  assert.equal(isStored(tenantKey), false, 'also not in the write-ahead log of the running server');
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).jws, done.jws);
  assert.equal(
    JSON.parse(Buffer.from(done.jws.split('.')[0] ?? '', 'base64url').toString()).typ,
    'grove-tenant-erasure+jwt',
  );
  const { tenants } = await groveJson<{ tenants: { id: string }[] }>(['tenant', 'list'], env);
  assert.deepEqual(
    tenants.map(({ id }) => id).filter((id) => id !== 'demo'),
    ['other'],
  );
});

test('tenant delete says that deleted rows are still in the log if somebody reads an old state of the database', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  await groveJson(['tenant', 'create', 'other'], env);
  await groveJson(['tenant', 'create', 'acme'], env);
  await groveJson(['tenant', 'suspend', 'acme'], env);
  const reader = new DatabaseSync(join(env.GROVE_DATA, 'grove.sqlite'), { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM tenants').get();
  const { code, stdout } = await grove(['tenant', 'delete', 'acme', '--yes'], env);
  assert.doesNotMatch(stdout, /was interrupted/);
  reader.close();
  assert.equal(code, 0);
  assert.match(stdout, /The tenant acme is deleted: \d+ rows/);
  assert.match(stdout, /The log of the database is in use/);
});

test('tenant delete says in its receipt that an earlier deletion was interrupted, whose rows it does not count', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  await groveJson(['tenant', 'create', 'other'], env);
  await groveJson(['tenant', 'create', 'acme'], env);
  await groveJson(['tenant', 'suspend', 'acme'], env);
  const database = new DatabaseSync(join(env.GROVE_DATA, 'grove.sqlite'));
  database.exec("UPDATE tenants SET status = 'DELETING' WHERE id = 'acme'");
  database.close();
  const file = join(env.GROVE_DATA, 'receipt.json');
  const { code, stdout } = await grove(['tenant', 'delete', 'acme', '--yes', '--receipt', file], env);
  assert.equal(code, 0);
  assert.match(stdout, /An earlier deletion of it was interrupted\. The numbers.* do not count what that one removed/);
  const { isResumed, jws } = JSON.parse(readFileSync(file, 'utf8'));
  const claims = JSON.parse(Buffer.from(jws.split('.')[1], 'base64url').toString());
  assert.deepEqual([isResumed, claims.isResumed], [true, true]);
});
