import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPlaces } from '../../../server/test/harness.ts';
import { grove, groveJson, issue, keysSeenBy, startGrove, temporaryFolder } from '../../test/grove.ts';

const places = testPlaces('postgres');

test('on PostgreSQL the same commands work, beside several servers', async (t) => {
  const { folder, environment } = await places.createEmpty();
  const env = { GROVE_DATA: folder, DATABASE_URL: environment.DATABASE_URL };
  const unmade = await grove(['tenant', 'list'], env);
  assert.deepEqual([unmade.code, /is empty/.test(unmade.stderr)], [1, true]);
  assert.equal((await grove(['migrate', '--check'], env)).code, 1);
  assert.equal((await grove(['migrate'], env)).code, 0);
  assert.deepEqual((await groveJson<{ pending: string[] }>(['migrate', '--check'], env)).pending, []);

  const alone = await grove(['start'], env);
  assert.deepEqual([alone.code, /another server cannot read them.*grove start --yes/.test(alone.stderr)], [1, true]);
  const one = await startGrove(t, env, '--demo', '--yes');
  assert.equal(one.ready.database, 'postgres');
  const other = await startGrove(t, env, '--yes');
  const { apiKey } = await groveJson<{ apiKey: string }>(['tenant', 'create', 'acme'], env);
  assert.equal((await issue(other.url, apiKey)).status, 200);

  assert.equal((await groveJson<{ version: number }>(['rotate', 'master-key'], env)).version, 2);
  assert.equal((await keysSeenBy(one.url, apiKey)).length, 1);
  const unsure = await grove(['rotate', 'master-key', '--drop-old'], env);
  assert.deepEqual([unsure.code, /--yes/.test(unsure.stderr)], [2, true]);
  assert.equal(await one.stop(), 0);
  assert.equal(await other.stop(), 0);
  const dropped = await groveJson<{ resealed: object }>(['rotate', 'master-key', '--drop-old', '--yes'], env);
  assert.deepEqual(dropped.resealed, { systemSecrets: 0, tenantKeys: 0, erasures: 0 }, 'the rotation before did it');
  const again = await startGrove(t, env, '--yes');
  assert.equal((await keysSeenBy(again.url, apiKey)).length, 1);
  assert.equal((await groveJson<{ state: string }>(['doctor'], env)).state, 'warning', 'images on one machine');
  const shared = { ...env, BLOB_URL: `file://${temporaryFolder(t)}` };
  const { checks } = await groveJson<{ checks: { state: string; message: string }[] }>(['doctor'], shared);
  const warnings = checks.filter(({ state, message }) => state !== 'ok' && !/root/.test(message));
  assert.deepEqual(warnings, [], 'tests may run as root, of which it warns');
});

test('a PostgreSQL that does not answer is explained in words, and its password is not shown', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t), DATABASE_URL: 'postgres://grove:s3cret@127.0.0.1:1/grove' };
  for (const args of [['start', '--yes'], ['tenant', 'list'], ['migrate']]) {
    const { code, stderr } = await grove(args, env);
    assert.equal(code, 1);
    assert.match(stderr, /^grove: .*ECONNREFUSED 127\.0\.0\.1:1\n$/);
    assert.doesNotMatch(stderr, /s3cret/);
  }
});
