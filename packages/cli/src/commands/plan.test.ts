import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurable, consent, decide, selfie, writerIn } from '../../test/configuration.ts';
import { grove, groveJson, temporaryFolder } from '../../test/grove.ts';

type Planned = { changes: boolean; definitions: { name: string; action: string; version: number; before?: number }[] };

test('plan shows what is new, what changed line by line, and what is unchanged, and changes nothing', async (t) => {
  const { env, folder, client, write } = await configurable(t);
  write('definitions/onboarding.yaml', { name: 'onboarding', tags: ['live'], steps: [consent, selfie, decide] });
  const fresh = await grove(['plan', folder], env);
  assert.deepEqual([fresh.code, fresh.stderr], [0, '']);
  assert.match(
    fresh.stdout,
    /^\+ onboarding 1: new, with 3 steps, to be created and deployed definitions\/onboarding.yaml$/m,
  );
  assert.match(fresh.stdout, /^\+ tag "live": to be put on onboarding 1$/m);
  assert.match(fresh.stdout, /^2 changes to make: grove apply makes them\.$/m);
  assert.equal((await client.processDefinitions.list({ query: { name: 'onboarding' } })).totalElements, 0);

  assert.equal((await grove(['apply', folder], env)).code, 0);
  write('definitions/onboarding.yaml', {
    name: 'onboarding',
    tags: ['live'],
    steps: [consent, { ...selfie, liveness: 'passive' }, decide],
  });
  write('settings.yaml', 'redirectOrigins: [https://www.example.com]\n');
  const { stdout } = await grove(['plan', folder], env);
  assert.match(stdout, /^~ onboarding 1 → 2: changed, to be created and deployed/m);
  assert.match(stdout, /^ {4}- {5}liveness: active\n {4}\+ {5}liveness: passive$/m);
  assert.match(stdout, /^ {4}…$/m);
  assert.match(stdout, /^~ tag "live": to be moved from onboarding 1 to onboarding 2$/m);
  assert.match(stdout, /^~ settings: to be changed\n {4}- redirectOrigins: \[\]\n {4}\+ redirectOrigins:\n/m);
  assert.equal((await client.processDefinitions.list({ query: { name: 'onboarding' } })).totalElements, 1);
});

test('plan --check exits with 2 if there are changes to make, and with 0 if not', async (t) => {
  const { env, folder, write } = await configurable(t);
  write('definitions/a.json', JSON.stringify({ name: 'a', steps: [decide] }));
  const before = await grove(['plan', folder, '--check', '--json'], env);
  assert.equal(before.code, 2);
  const { changes, definitions } = JSON.parse(before.stdout) as Planned;
  assert.equal(changes, true);
  assert.deepEqual(definitions, [{ action: 'create', file: 'definitions/a.json', name: 'a', version: 1 }]);
  assert.equal((await grove(['plan', folder], env)).code, 0);
  await grove(['apply', folder], env);
  const after = await grove(['plan', folder, '--check'], env);
  assert.equal(after.code, 0);
  assert.match(after.stdout, /^ {2}a 1: unchanged .*\n\nThe tenant matches the folder\.$/m);
});

test('a draft does not count as a version, unless it equals the document in the folder', async (t) => {
  const { env, folder, client, write } = await configurable(t);
  const inFile = { file: 'definitions/a.yaml', name: 'a' };
  const planned = async () => (await groveJson<Planned>(['plan', folder], env)).definitions[0];
  write('definitions/a.yaml', { name: 'a', steps: [decide] });
  await grove(['apply', folder], env);
  await client.processDefinitions.create({ body: { name: 'a', steps: [consent, decide] } });
  assert.deepEqual(await planned(), { action: 'none', ...inFile, version: 1 });
  write('definitions/a.yaml', { name: 'a', steps: [consent, decide] });
  assert.deepEqual(await planned(), { action: 'deploy', ...inFile, version: 2, before: 1 });
  write('definitions/a.yaml', { name: 'a', steps: [selfie, decide] });
  assert.deepEqual(await planned(), { action: 'create', ...inFile, version: 3, before: 1 });
});

test('files that cannot be read are reported with line and column, all at once, before a server is called', async (t) => {
  const folder = temporaryFolder(t);
  const write = writerIn(folder);
  write('definitions/a.yaml', 'name: a\nsteps:\n  - { id: x, type: decision\n');
  write('definitions/b.yaml', 'name: b\nname: c\nsteps: []\n');
  write('definitions/c.json', '{ "name": "c", }}');
  write('definitions/d.yaml', 'tags: [1]\nsteps: []\n');
  write('definitions/e.yaml', 'name: twice\ntags: [live]\nsteps: []\n');
  write('definitions/f.yaml', 'name: twice\nsteps: []\ntags: [live]\n');
  write('definitions/g.yaml', '- a list\n');
  write('definitions/read-me.txt', 'not looked at');
  write('settings.yaml', 'colour: green\n');
  const { code, stdout, stderr } = await grove(['plan', folder, '--url', 'http://localhost:1', '--api-key', 'k'], {});
  assert.deepEqual([code, stdout], [1, '']);
  for (const place of [
    /- definitions\/a\.yaml:\d+:\d+ /,
    /- definitions\/b\.yaml:2:1 Map keys must be unique/,
    /- definitions\/c\.json:1:\d+ /,
    /- definitions\/d\.yaml:1:1 \/name is required/,
    /- definitions\/d\.yaml:1:8 \/tags\/0 must be text/,
    /- definitions\/f\.yaml:1:7 the definition "twice" is already in definitions\/e\.yaml/,
    /- definitions\/f\.yaml:3:8 the tag "live" is already in definitions\/e\.yaml/,
    /- definitions\/g\.yaml:1:1 must hold an object/,
    /- settings\.yaml:1:9 \/colour is not a setting/,
    /- settings\.yaml:1:1 \/redirectOrigins must be a list/,
  ]) {
    assert.match(stderr, place);
  }
  assert.doesNotMatch(stderr, /\n\s+at |read-me/);
});

test('a missing folder, or one without configuration, exits with 2', async (t) => {
  const server = ['--url', 'http://localhost:1', '--api-key', 'k'];
  for (const command of ['plan', 'apply']) {
    for (const folder of ['/nowhere', temporaryFolder(t)]) {
      const { code, stderr } = await grove([command, folder, ...server], {});
      assert.equal(code, 2);
      assert.match(
        stderr,
        /holds neither a folder definitions nor one of the files settings\.yaml, cloudSecrets\.yaml, stores\.yaml/,
      );
    }
  }
});
