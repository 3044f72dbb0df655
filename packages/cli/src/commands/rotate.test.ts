import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createClient } from 'grove-idv-sdk';
import {
  atTerminal,
  grove,
  groveJson,
  issue,
  keysSeenBy,
  NO_TERMINAL,
  startGrove,
  temporaryFolder,
} from '../../test/grove.ts';

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
  assert.deepEqual(first.resealed, { systemSecrets: 2, tenantKeys: 1, erasures: 0 });
  assert.deepEqual(versionsOf(`${folder}/master.key`), [2, 1]);
  assert.equal((await keysSeenBy(running.url, apiKey)).length, 2);

  const refused = await grove(['rotate', 'master-key', '--drop-old'], env);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Another server is using the data folder/);
  assert.deepEqual(versionsOf(`${folder}/master.key`), [2, 1]);

  assert.equal(await running.stop(), 0);
  const unanswered = await grove(['rotate', 'master-key', '--drop-old'], env);
  assert.deepEqual([unanswered.code, versionsOf(`${folder}/master.key`)], [2, [2, 1]]);
  const { retired } = await groveJson<{ retired: string }>(['rotate', 'master-key', '--drop-old', '--yes'], env);
  assert.deepEqual(versionsOf(`${folder}/master.key`), [2]);
  assert.deepEqual(versionsOf(retired), [1]);
  assert.equal(statSync(retired).mode & 0o777, 0o600);
  for (const name of readdirSync(folder)) assert.equal(statSync(`${folder}/${name}`).mode & 0o077, 0, name);
  const again = await startGrove(t, env);
  assert.equal((await keysSeenBy(again.url, apiKey)).length, 2);
});

test('rotate master-key --drop-old asks first, and changes nothing on any other answer', {
  skip: NO_TERMINAL,
}, async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: folder };
  await groveJson(['tenant', 'create', 'acme'], env);
  const refused = await atTerminal(['rotate', 'master-key', '--drop-old'], env, 'yes\n');
  assert.equal(refused.code, 2);
  assert.match(refused.stdout, /Backups from before need the old ones/);
  assert.deepEqual(versionsOf(`${folder}/master.key`), [1]);
  assert.equal((await atTerminal(['rotate', 'master-key', '--drop-old'], env, 'drop\n')).code, 0);
  assert.deepEqual(versionsOf(`${folder}/master.key`), [2]);
});

test('a master key of the environment is explained, and its seals are renewed once it has a newer version', async (t) => {
  const one = `1:${Buffer.alloc(32, 1).toString('base64')}`;
  const env = { GROVE_DATA: temporaryFolder(t), GROVE_MASTER_KEY: one };
  const { apiKey } = await groveJson<{ apiKey: string }>(['tenant', 'create', 'acme'], env);
  const explained = await groveJson<{ suggested: string }>(['rotate', 'master-key'], env);
  assert.match(explained.suggested, /^2:[A-Za-z0-9+/]{43}=$/);
  assert.match((await grove(['rotate', 'master-key'], env)).stdout, /1\. Put a new version[\s\S]*2\. Run grove rotate/);
  assert.equal((await grove(['rotate', 'master-key', '--drop-old'], env)).code, 2);

  const both = { ...env, GROVE_MASTER_KEY: `${explained.suggested},${one}` };
  const { resealed } = await groveJson<{ resealed: object }>(['rotate', 'master-key'], both);
  assert.deepEqual(resealed, { systemSecrets: 2, tenantKeys: 1, erasures: 0 });
  const server = await startGrove(t, { ...env, GROVE_MASTER_KEY: explained.suggested });
  assert.equal((await issue(server.url, apiKey)).status, 200);
});

test('rotation beside a server', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  const before = await startGrove(t, env);
  const apiKey = before.ready.apiKey ?? '';
  const { token } = await issue(before.url, apiKey);
  const { kid } = await groveJson<{ kid: string }>(['rotate', 'signing-key'], env);
  assert.equal(await before.stop(), 0);
  const after = await startGrove(t, { ...env, PORT: String(before.ready.port) });

  await t.test('rotate signing-key publishes a new key at once, and tokens signed before stay good', async () => {
    const published = await fetch(`${after.url}/.well-known/jwks.json`);
    assert.equal(((await published.json()) as { keys: { kid: string }[] }).keys[0]?.kid, kid);
    const answer = await fetch(`${after.url}/api/arthr/apiKeys`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
  });

  await t.test('rotate tenant-key gives a tenant a new version at once; an unknown tenant is refused', async () => {
    const { version } = await groveJson<{ version: number }>(['rotate', 'tenant-key', 'demo'], env);
    assert.equal(version, 2);
    assert.equal((await keysSeenBy(after.url, apiKey)).length, 2);
    const { code, stderr } = await grove(['rotate', 'tenant-key', 'nobody'], env);
    assert.deepEqual(
      [code, stderr],
      [1, 'grove: There is no tenant nobody. grove tenant list shows those there are\n'],
    );
  });
});

test('erased data stays erased: backup, rotation, erasure, restore with the old key', async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: `${folder}/data` };
  const key = `${folder}/data/master.key`;
  const { apiKey } = await groveJson<{ apiKey: string }>(['tenant', 'create', 'acme'], env);
  const clientOf = ({ url }: { url: string }) => createClient({ baseUrl: url, apiKey });
  const first = await startGrove(t, env);
  const body = { name: 'erased', processDefnName: 'document-only' };
  const token = await clientOf(first).processTokens.create({ body });
  const { processInstanceId } = await clientOf(first).processInstances.create({ query: { pt: token.id } });
  assert.equal(await first.stop(), 0);
  await groveJson(['backup', `${folder}/copy`], env);
  const before = readFileSync(key, 'utf8');
  await groveJson(['rotate', 'master-key', '--drop-old', '--yes'], env);
  const second = await startGrove(t, env);
  await fetch(`${second.url}/api/process-manager/processInstances/${processInstanceId}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${(await issue(second.url, apiKey)).token}` },
  });
  for (let state = ''; state !== 'ERASED'; ) {
    ({ state } = await clientOf(second).erasures.get({ processInstanceId }));
  }
  assert.equal(await second.stop(), 0);
  const after = readFileSync(key, 'utf8');
  const restore = ['restore', `${folder}/copy`, '--force'];

  // Either key alone is not enough, and the missing version is named.
  const withNew = await grove(restore, env);
  assert.match(
    withNew.stderr,
    /The backup needs version 1\. .*The list of erasures since needs version 2\. Missing: 1\./,
  );
  writeFileSync(key, before);
  const withOld = await grove(restore, env);
  assert.match(withOld.stderr, /The backup needs version 1\. .*needs version 2\. Missing: 2\./);
  assert.deepEqual([withNew.code, withOld.code], [1, 1]);
  // With --ignore-erasures the restore works, but the start is refused.
  assert.equal((await grove([...restore, '--ignore-erasures'], env)).code, 0);
  const refused = await grove(['start'], env);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Version 2 of the master key is needed.*grove start --force/);

  writeFileSync(key, `${after}${before}`);
  assert.equal((await grove(restore, env)).code, 0);
  const third = await startGrove(t, env);
  await assert.rejects(clientOf(third).processInstances.get({ processInstanceId }), { status: 404 });
  assert.equal(await third.stop(), 0);
  // The next rotation seals the list with the new version.
  const { resealed } = await groveJson<{ resealed: { erasures: number } }>(['rotate', 'master-key'], env);
  assert.ok(resealed.erasures >= 1);
  await groveJson(['rotate', 'master-key', '--drop-old', '--yes'], env);
  assert.deepEqual(versionsOf(key), [3]);
  await startGrove(t, env);
});
