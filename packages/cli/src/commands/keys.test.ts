import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ApiKeyView,
  atTerminal,
  grove,
  groveJson,
  issue,
  keysSeenBy,
  NO_TERMINAL,
  startGrove,
  temporaryFolder,
} from '../../test/grove.ts';

type Made = ApiKeyView & { code: string; permissions: string[]; type: string; expiringDtm?: string };

test('keys', async (t) => {
  const data = { GROVE_DATA: temporaryFolder(t) };
  const server = await startGrove(t, data);

  await t.test('keys are created, listed, blocked and deleted through the server', async () => {
    const env = { GROVE_URL: server.ready.tenantUrl ?? '', GROVE_API_KEY: server.ready.apiKey ?? '' };
    const permission = 'TNT#demo#ArthrServer:listTenantApiKeys';
    const options = ['--permission', permission, '--permission', 'TNT#demo#ProcessManager:*', '--type', 'SESSION'];
    const made = await groveJson<Made>(['keys', 'create', 'till 7', ...options, '--expires', '8h'], env);
    assert.deepEqual(made.permissions, [permission, 'TNT#demo#ProcessManager:*']);
    assert.equal(made.type, 'SESSION');
    assert.ok(Math.abs(Date.parse(made.expiringDtm ?? '') - Date.now() - 8 * 3_600_000) < 60_000);
    assert.equal((await issue(server.url, made.code)).status, 200);

    const { apiKeys } = await groveJson<{ apiKeys: ApiKeyView[] }>(['keys', 'list', '--name', 'till%'], env);
    assert.deepEqual(
      apiKeys.map(({ id, name }) => [id, name]),
      [[made.id, 'till 7']],
    );
    const shown = await grove(['keys', 'list'], env);
    assert.match(shown.stdout, /^ID\s+NAME\s+ENVIRONMENT\s+STATUS/);
    assert.match(shown.stdout, /till 7\s+live\s+ACTIVE/);

    const blocked = await grove(['keys', 'block', made.id], env);
    assert.deepEqual([blocked.code, blocked.stderr], [0, '']);
    assert.equal((await issue(server.url, made.code)).status, 401);

    const unasked = await grove(['keys', 'delete', made.id], env);
    assert.equal(unasked.code, 2);
    assert.match(unasked.stderr, /--yes/);
    assert.equal((await keysSeenBy(server.url, env.GROVE_API_KEY)).length, 3);

    assert.equal((await grove(['keys', 'delete', made.id, '--yes'], env)).code, 0);
    assert.equal((await keysSeenBy(server.url, env.GROVE_API_KEY)).length, 2);
    const gone = await grove(['keys', 'block', made.id, '--json'], env);
    assert.equal(gone.code, 1);
    assert.equal(JSON.parse(gone.stderr).error.code, 130);
  });

  await t.test('keys are deleted at a terminal only when the name is typed', { skip: NO_TERMINAL }, async () => {
    const env = { GROVE_URL: server.url, GROVE_API_KEY: server.ready.apiKey ?? '' };
    const made = await groveJson<Made>(['keys', 'create', 'till 7'], env);
    assert.equal((await atTerminal(['keys', 'delete', made.id], env, 'till 8\n')).code, 1);
    assert.equal((await keysSeenBy(server.url, env.GROVE_API_KEY)).length, 3);
    assert.equal((await atTerminal(['keys', 'delete', made.id], env, 'till 7\n')).code, 0);
    assert.equal((await keysSeenBy(server.url, env.GROVE_API_KEY)).length, 2);
  });

  await t.test(
    'an operator who has lost every key makes one with all permissions beside the running server',
    async () => {
      const { url } = server;
      const made = await groveJson<Made>(['keys', 'create', 'recovery', '--tenant', 'demo', '--test'], data);
      assert.match(made.code, /^grv_test_/);
      // The test key sees the test key of the demonstration and itself, and no live keys.
      assert.equal((await keysSeenBy(url, made.code)).length, 2);
      const again = await grove(['keys', 'create', 'recovery', '--tenant', 'demo', '--test'], data);
      assert.equal(again.code, 1);
      assert.match(again.stderr, /already in use/);
      assert.doesNotMatch(again.stderr, /\n\s+at /);
      assert.equal((await grove(['keys', 'create', 'other', '--tenant', 'nobody'], data)).code, 1);
    },
  );
});

test('a command without the address of a server, or with a wrong one, exits with 2', async () => {
  const key = 'grv_live_none';
  const wrong = [
    [['list'], {}, /GROVE_URL/],
    [['create', 'x'], {}, /--tenant/],
    [['list', '--url', 'http://localhost:1'], {}, /no API key/],
    [['list', '--url', 'localhost', '--api-key', key], {}, /must be an address/],
    [['create', 'x', '--tenant', 'demo', '--expires', '8h'], {}, /only --test/],
    [['create', 'x', '--expires', 'soon'], { GROVE_URL: 'http://localhost:1', GROVE_API_KEY: key }, /45m, 8h or 30d/],
    [
      ['create', 'x', '--type', 'ETERNAL'],
      { GROVE_URL: 'http://localhost:1', GROVE_API_KEY: key },
      /PERMANENT or SESSION/,
    ],
  ] as const;
  const ended = await Promise.all(wrong.map(([args, env]) => grove(['keys', ...args], env)));
  for (const [at, [args, , words]] of wrong.entries()) {
    assert.deepEqual([ended[at]?.code, ended[at]?.stdout], [2, ''], args.join(' '));
    assert.match(ended[at]?.stderr ?? '', words);
  }
});

test('a server that does not respond is a failure, and the key is not shown', async () => {
  const args = ['keys', 'list', '--url', 'http://acme.fir.localhost:1', '--api-key', 'grv_live_secret'];
  const { code, stderr } = await grove(args, {});
  assert.equal(code, 1);
  assert.match(stderr, /could not connect to the server/);
  assert.doesNotMatch(stderr, /secret/);
});
