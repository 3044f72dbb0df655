import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { configurable, consent, decide, selfie } from '../../test/configuration.ts';
import { COMMAND, environmentOf, grove, groveJson } from '../../test/grove.ts';

type AppliedPlan = {
  changes: boolean;
  definitions: { name: string; action: string; version: number }[];
  tags: { tag: string; action: string }[];
};

test('apply deploys the definitions of the folder, and changes nothing the second time', async (t) => {
  const { env, folder, client, write } = await configurable(t);
  write('definitions/one.yaml', {
    name: 'one',
    tags: ['live', 'newest'],
    steps: [
      consent,
      { id: 'ask', type: 'form', schema: { type: 'object', properties: { age: { type: 'integer' } } } },
      { id: 'document', type: 'document', when: 'data.forms.form1.age >= 18' },
      selfie,
      { id: 'match', type: 'faceMatch' },
      { id: 'wait', type: 'pause', onFail: 'end' },
      { id: 'look', type: 'review' },
      { id: 'phone', type: 'switchDevice' },
      { ...decide, rules: [{ when: 'checks.match.passed', outcome: 'PASS' }] },
    ],
  });
  write('definitions/two.yml', '# JSON and YAML alike\nname: two\nsteps: [{ id: decide, type: decision }]\n');
  write(
    'settings.yaml',
    'redirectOrigins: [HTTPS://WWW.Example.com/, "myapp:"]\nembedOrigins: [https://Shop.example]\n',
  );
  const first = await groveJson<AppliedPlan>(['apply', folder], env);
  assert.equal(first.changes, true);
  assert.deepEqual(
    first.definitions.map(({ name, action, version }) => [name, action, version]),
    [
      ['one', 'create', 1],
      ['two', 'create', 1],
    ],
  );
  const { content } = await client.processDefinitions.list({ query: { name: 'one' } });
  assert.deepEqual([content[0]?.status, content[0]?.tags], ['DEPLOYED_ACTIVE', ['live', 'newest']]);
  const { redirectOrigins, embedOrigins } = await client.processSettings.get();
  assert.deepEqual(redirectOrigins, ['https://www.example.com', 'myapp:']);
  assert.deepEqual(embedOrigins, ['https://shop.example']);

  const second = await groveJson<AppliedPlan>(['apply', folder], env);
  assert.equal(second.changes, false);
  assert.equal((await client.processDefinitions.list({ query: { name: 'one' } })).totalElements, 1);
  const { stdout } = await grove(['apply', folder], env);
  assert.match(stdout, /The tenant matches the folder/);
});

test('apply makes a version of each changed definition, moves its tags, and leaves the old version and other tags alone', async (t) => {
  const { env, folder, client, write } = await configurable(t);
  write('definitions/a.yaml', { name: 'a', tags: ['live'], steps: [decide] });
  await grove(['apply', folder], env);
  const [first] = (await client.processDefinitions.list({ query: { name: 'a' } })).content;
  await client.processDefinitions.addTag({ processDefinitionId: first?.id ?? '', body: { name: 'by hand' } });
  write('definitions/a.yaml', { name: 'a', tags: ['live'], steps: [consent, decide] });
  const { stdout } = await grove(['apply', folder], env);
  assert.match(stdout, /^~ a 1 → 2: changed, created and deployed/m);
  assert.match(stdout, /^~ tag "live": moved from a 1 to a 2$/m);
  assert.match(stdout, /^2 changes made\.$/m);
  const { content } = await client.processDefinitions.list({ query: { name: 'a', sort: ['version'] } });
  assert.deepEqual(
    content.map(({ version, status, tags }) => [version, status, tags]),
    [
      [1, 'DEPLOYED_ACTIVE', ['by hand']],
      [2, 'DEPLOYED_ACTIVE', ['live']],
    ],
  );
});

test('apply stops with all faults of all files, with their positions, before anything is changed', async (t) => {
  const { env, folder, client, write } = await configurable(t);
  write('definitions/good.yaml', { name: 'good', steps: [decide] });
  write(
    'definitions/bad.yaml',
    'name: bad\nsteps:\n  - id: a\n    type: consnet\n  - id: decide\n    type: decision\n',
  );
  write(
    'definitions/page.yaml',
    'name: page\nsteps:\n  - { id: p, type: customPage, page: hello }\n  - { id: d, type: decision }\n',
  );
  write('definitions/none.yaml', 'name: none\nsteps: none\ncolour: green\n');
  write(
    'definitions/days.yaml',
    'name: 5\nretentionDays: -5\ntags: [7]\nsteps:\n  - { id: a, type: docment }\n  - { id: d, type: decision, foo: 1 }\n',
  );
  const { code, stdout, stderr } = await grove(['apply', folder], env);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /The configuration has 9 faults; nothing was changed/);
  assert.match(stderr, /- definitions\/bad\.yaml:4:11 \/steps\/0\/type must be one of .*did you mean consent\?/);
  assert.match(stderr, /- definitions\/page\.yaml:3:38 \/steps\/0\/page there is no custom page named "hello"/);
  for (const pointer of ['steps', 'colour']) {
    assert.match(stderr, new RegExp(`- definitions/none\\.yaml:\\d:\\d+ /${pointer} `));
  }
  for (const pointer of ['name', 'retentionDays', 'tags/0', 'steps/0/type', 'steps/1/foo']) {
    assert.match(stderr, new RegExp(`- definitions/days\\.yaml:\\d:\\d+ /${pointer} `));
  }
  assert.equal((await client.processDefinitions.list({ query: { name: 'good' } })).totalElements, 0);
});

test('apply deploys a subprocess before the definition that runs it, and refuses a circle', async (t) => {
  const { env, folder, client, write } = await configurable(t);
  const run = (definition: string) => ({ id: 'child', type: 'subprocess', definition });
  write('definitions/a.yaml', { name: 'parent', steps: [run('child'), decide] });
  write('definitions/b.yaml', { name: 'child', steps: [decide] });
  const { definitions } = await groveJson<AppliedPlan>(['apply', folder], env);
  assert.deepEqual(
    definitions.map(({ name }) => name),
    ['child', 'parent'],
  );
  write('definitions/b.yaml', { name: 'child', steps: [run('parent'), decide] });
  const { code, stderr } = await grove(['apply', folder], env);
  assert.equal(code, 1);
  assert.match(stderr, /definitions\/a\.yaml:\d+:\d+ would run itself: parent → child → parent/);
  assert.equal((await client.processDefinitions.list({ query: { name: 'child' } })).totalElements, 1);
});

test('settings that the server refuses stop apply before anything is changed', async (t) => {
  const { env, folder, client, write } = await configurable(t);
  write('definitions/a.yaml', { name: 'a', steps: [decide] });
  write('settings.yaml', 'redirectOrigins: ["https://*.example.com"]\n');
  const { code, stderr } = await grove(['apply', folder], env);
  assert.equal(code, 1);
  assert.match(stderr, /- \/redirectOrigins\/0 /);
  assert.equal((await client.processDefinitions.list({ query: { name: 'a' } })).totalElements, 0);
});

test('apply that is interrupted shows the secrets of what it has made', async (t) => {
  const { env, folder, write, client } = await configurable(t);
  const keys = Array.from({ length: 500 }, (_, at) => ({
    name: `key ${at}`,
    permissions: ['ProcessManager:getReview'],
  }));
  write('apiKeys.yaml', { apiKeys: keys });
  const child = spawn(process.execPath, [COMMAND, 'apply', folder], { env: environmentOf(env) });
  const errors = text(child.stderr);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const made = async () => (await client.apiKeys.list({ query: { name: 'key %', size: 1 } })).totalElements;
  while ((await made()) < 5) await wait(20);
  child.kill('SIGINT');
  assert.equal(await ended, 1);
  assert.match(await errors, /Stopped\. Changes that were made stay/);
  const count = await made();
  assert.ok(count < keys.length, 'it stopped before the end');
  assert.equal((await errors).match(/shown this once: grv_live_/g)?.length, count);
});
