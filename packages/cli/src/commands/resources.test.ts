import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configurable, decide } from '../../test/configuration.ts';
import { grove, groveJson, temporaryFolder } from '../../test/grove.ts';

type Applied = {
  changes: boolean;
  resources: { action: string; kind: string; name: string }[];
  secrets?: { secret: string }[];
};

const hook = { name: 'crm', uri: 'https://hooks.example.com/grove', events: ['instance.completed'] };
const notify = { id: 'tell', type: 'webhook', name: 'crm' };

test('apply makes stores, watchlists and webhooks before the definition that names them, and a second time nothing', async (t) => {
  const { env, folder, write, client } = await configurable(t);
  write('stores.yaml', { stores: [{ name: 'customers', description: 'Ours', configuration: { maxUsers: 10 } }] });
  write('watchlists.yaml', { watchlists: [{ name: 'fraud', type: 'EMAIL', maxSize: 100 }] });
  write('webhooks.yaml', { webhooks: [hook] });
  write('definitions/a.yaml', { name: 'a-process', steps: [notify, decide] });
  const first = await groveJson<Applied>(['apply', folder], env);
  assert.deepEqual(
    first.resources.map(({ action, name }) => `${action} ${name}`),
    ['create customers', 'create fraud', 'create crm'],
  );
  assert.match(first.secrets?.[0]?.secret ?? '', /^whsec_/);
  const { changes } = await groveJson<Applied>(['plan', folder], env);
  assert.equal(changes, false);

  const elsewhere = temporaryFolder(t);
  await groveJson(['export', elsewhere], env);
  assert.match(readFileSync(join(elsewhere, 'webhooks.yaml'), 'utf8'), /uri: https:\/\/hooks\.example\.com\/grove/);
  assert.doesNotMatch(readFileSync(join(elsewhere, 'webhooks.yaml'), 'utf8'), /whsec_/);
  assert.equal((await groveJson<Applied>(['plan', elsewhere], env)).changes, false);

  await client.webhooks.update({
    webhookId: (await client.webhooks.list()).content[0]?.id ?? '',
    body: { events: ['*'] },
  });
  const drift = await grove(['plan', folder, '--check'], env);
  assert.equal(drift.code, 2);
  assert.match(drift.stdout, /webhooks "crm": to be changed/);
  assert.match(drift.stdout, /\+ +- instance\.completed/);
});

test('faults of every file and of the server come in one round, and nothing is changed', async (t) => {
  const { env, folder, write, client } = await configurable(t);
  write('definitions/broken.yaml', 'name: [');
  write('definitions/wrong.yaml', { name: 'wrong', steps: [{ id: 'x', type: 'nothing' }] });
  write('webhooks.yaml', { webhooks: [{ ...hook, secret: 'x' }, { uri: 'https://x.example' }, hook], other: 1 });
  write('stores.yaml', { stores: 'none' });
  const { code, stderr } = await grove(['apply', folder], env);
  assert.equal(code, 1);
  for (const fault of [
    /definitions\/broken\.yaml:\d+:\d+ /,
    /definitions\/wrong\.yaml:\d+:\d+ \/steps\/0\/type/,
    /webhooks\.yaml:\d+:\d+ \/webhooks\/0\/secret is not known/,
    /webhooks\.yaml:\d+:\d+ \/webhooks\/1\/name is required/,
    /webhooks\.yaml:\d+:\d+ \/webhooks\/2\/name is there already/,
    /webhooks\.yaml:\d+:\d+ \/other is not known here/,
    /stores\.yaml:\d+:\d+ \/stores must be a list/,
  ]) {
    assert.match(stderr, fault);
  }
  assert.equal((await client.webhooks.list()).totalElements, 0);
});
