import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { grove, groveJson, issue, keysSeenBy, startGrove, temporaryFolder } from '../../test/grove.ts';

const versionsOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => Number(line.split(':')[0]));

test('rotate master-key leaves a running server working, and --drop-old leaves only the new version', async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: folder };
  const running = await startGrove(t, env);
  const apiKey = running.ready.apiKey ?? '';
  const first = await groveJson<{ version: number; resealed: object }>(['rotate', 'master-key'], env);
  assert.equal(first.version, 2);
  assert.deepEqual(first.resealed, { systemSecrets: 2, tenantKeys: 1 });
  assert.deepEqual(versionsOf(`${folder}/master.key`), [2, 1]);
  assert.equal((await keysSeenBy(running.url, apiKey)).length, 2);

  const refused = await grove(['rotate', 'master-key', '--drop-old'], env);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Another server is using the data folder/);
  assert.deepEqual(versionsOf(`${folder}/master.key`), [2, 1]);

  assert.equal(await running.stop(), 0);
  assert.equal((await grove(['rotate', 'master-key', '--drop-old'], env)).code, 0);
  assert.deepEqual(versionsOf(`${folder}/master.key`), [3]);
  const again = await startGrove(t, env);
  assert.equal((await keysSeenBy(again.url, apiKey)).length, 2);
});

test('a master key of the environment is explained, and what it sealed is sealed anew when it has a newer version', async (t) => {
  const one = `1:${Buffer.alloc(32, 1).toString('base64')}`;
  const env = { GROVE_DATA: temporaryFolder(t), GROVE_MASTER_KEY: one };
  const { apiKey } = await groveJson<{ apiKey: string }>(['tenant', 'create', 'acme'], env);
  const explained = await groveJson<{ suggested: string }>(['rotate', 'master-key'], env);
  assert.match(explained.suggested, /^2:[A-Za-z0-9+/]{43}=$/);
  assert.match((await grove(['rotate', 'master-key'], env)).stdout, /1\. Put a new version[\s\S]*2\. Run grove rotate/);
  assert.equal((await grove(['rotate', 'master-key', '--drop-old'], env)).code, 2);

  const both = { ...env, GROVE_MASTER_KEY: `${explained.suggested},${one}` };
  const { resealed } = await groveJson<{ resealed: object }>(['rotate', 'master-key'], both);
  assert.deepEqual(resealed, { systemSecrets: 2, tenantKeys: 1 });
  const server = await startGrove(t, { ...env, GROVE_MASTER_KEY: explained.suggested });
  assert.equal((await issue(server.url, apiKey)).status, 200);
});

test('beside a server', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  const before = await startGrove(t, env);
  const apiKey = before.ready.apiKey ?? '';
  const { token } = await issue(before.url, apiKey);
  const { kid } = await groveJson<{ kid: string }>(['rotate', 'signing-key'], env);
  assert.equal(await before.stop(), 0);
  const after = await startGrove(t, { ...env, PORT: String(before.ready.port) });

  await t.test('rotate signing-key signs with a new key, and tokens signed before stay good', async () => {
    const header = (await issue(after.url, apiKey)).token.split('.')[0] ?? '';
    assert.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).kid, kid);
    const answer = await fetch(`${after.url}/api/arthr/apiKeys`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
  });

  await t.test('rotate tenant-key gives a tenant a new version at once; an unknown tenant is refused', async () => {
    const { version } = await groveJson<{ version: number }>(['rotate', 'tenant-key', 'demo'], env);
    assert.equal(version, 2);
    assert.equal((await keysSeenBy(after.url, apiKey)).length, 2);
    const { code, stderr } = await grove(['rotate', 'tenant-key', 'nobody'], env);
    assert.deepEqual([code, stderr], [1, 'grove: There is no tenant nobody\n']);
  });
});
