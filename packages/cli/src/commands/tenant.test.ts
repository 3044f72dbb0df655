import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { grove, groveJson, issue, keysSeenBy, startGrove, temporaryFolder } from '../../test/grove.ts';

type Made = { tenantId: string; name: string; apiKey: string; baseUrl: string | null };

test('a tenant made while the server runs is there at once: its key works', async (t) => {
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

test('a tenant that exists, or whose id is no part of an address, is refused with 1', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  await groveJson(['tenant', 'create', 'acme'], env);
  const again = await grove(['tenant', 'create', 'acme'], env);
  assert.deepEqual([again.code, again.stdout, again.stderr], [1, '', 'grove: There is a tenant acme already\n']);
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
