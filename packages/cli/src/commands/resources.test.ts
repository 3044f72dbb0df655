import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operations } from '@grove/contract';
import type { Client } from 'grove-idv-sdk';
import { configurable, decide } from '../../test/configuration.ts';
import { grove, groveJson, temporaryFolder } from '../../test/grove.ts';
import { KINDS } from '../configuration/kinds.ts';

type AppliedPlan = {
  changes: boolean;
  unmanaged?: { kind: string; name: string }[];
  resources: { action: string; kind: string; name: string }[];
  secrets?: { secret: string }[];
};

const hook = { name: 'crm', uri: 'https://hooks.example.com/grove', events: ['instance.completed'] };
const notify = { id: 'tell', type: 'webhook', name: 'crm' };

test('apply makes stores, watchlists and webhooks before the definition that names them, and changes nothing the second time', async (t) => {
  const { env, folder, write, client } = await configurable(t);
  write('stores.yaml', { stores: [{ name: 'customers', description: 'Ours', configuration: { maxUsers: 10 } }] });
  write('watchlists.yaml', { watchlists: [{ name: 'fraud', type: 'EMAIL', maxSize: 100 }] });
  write('webhooks.yaml', { webhooks: [hook] });
  write('definitions/a.yaml', { name: 'a-process', steps: [notify, decide] });
  const first = await groveJson<AppliedPlan>(['apply', folder], env);
  assert.deepEqual(
    first.resources.map(({ action, name }) => `${action} ${name}`),
    ['create customers', 'create fraud', 'create crm'],
  );
  assert.match(first.secrets?.[0]?.secret ?? '', /^whsec_/);
  const { changes } = await groveJson<AppliedPlan>(['plan', folder], env);
  assert.equal(changes, false);

  const elsewhere = temporaryFolder(t);
  await groveJson(['export', elsewhere], env);
  assert.match(readFileSync(join(elsewhere, 'webhooks.yaml'), 'utf8'), /uri: https:\/\/hooks\.example\.com\/grove/);
  assert.doesNotMatch(readFileSync(join(elsewhere, 'webhooks.yaml'), 'utf8'), /whsec_/);
  assert.equal((await groveJson<AppliedPlan>(['plan', elsewhere], env)).changes, false);

  await client.webhooks.update({
    webhookId: (await client.webhooks.list()).content[0]?.id ?? '',
    body: { events: ['*'] },
  });
  const drift = await grove(['plan', folder, '--check'], env);
  assert.equal(drift.code, 2);
  assert.match(drift.stdout, /webhooks "crm": to be changed/);
  assert.match(drift.stdout, /\+ +- instance\.completed/);
});

test('export refuses pages that differ only in case or in dots at the end, and names both', async (t) => {
  const { env, folder, write } = await configurable(t);
  for (const name of ['Terms', 'terms']) write(`pages/${name}/index.html`, `<p>${name}</p>`);
  assert.equal((await grove(['apply', folder], env)).code, 0);
  const exported = temporaryFolder(t);
  const { code, stderr } = await grove(['export', join(exported, 'new')], env);
  assert.equal(code, 2);
  assert.match(stderr, /"pages\/(Terms|terms)" and "pages\/(Terms|terms)" differ only in upper and lower case/);
  assert.equal(existsSync(join(exported, 'new')), false);
});

test('apply refuses two new secrets that would take their values from the same variable', async (t) => {
  const { env, folder, write, client } = await configurable(t);
  write('cloudSecrets.yaml', { cloudSecrets: [{ name: 'crm-key' }, { name: 'crm_key' }] });
  const { code, stderr } = await grove(['apply', folder], { ...env, SECRET_CRM_KEY: 'x' });
  assert.equal(code, 1);
  assert.match(stderr, /would get the value of "crm-key": both take it from SECRET_CRM_KEY/);
  assert.equal((await client.cloudSecrets.list()).totalElements, 0);
});

test('apply reads lists in the largest pages that the API has', async () => {
  const sizes = new Map<string, unknown>();
  const listOf = (name: string) => ({
    list: {
      all(input?: { query?: { size?: number } }) {
        sizes.set(name, input?.query?.size);
        return [];
      },
    },
  });
  const client = new Proxy({} as Client, { get: (_client, name) => listOf(String(name)) });
  for (const kind of Object.values(KINDS)) for await (const _none of kind.list(client)) assert.fail();
  const [list] = [...operations()].filter(({ id }) => id === 'webhooks.list');
  const query = list?.operation.query as { properties: { size: { maximum: number } } } | undefined;
  assert.deepEqual(new Set(sizes.values()), new Set([query?.properties.size.maximum]));
  assert.ok(sizes.size >= Object.keys(KINDS).length);
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
    /webhooks\.yaml:\d+:\d+ \/webhooks\/0\/secret is unknown/,
    /webhooks\.yaml:\d+:\d+ \/webhooks\/1\/name is required/,
    /webhooks\.yaml:\d+:\d+ \/webhooks\/2\/name is already in the list/,
    /webhooks\.yaml:\d+:\d+ \/other is unknown/,
    /stores\.yaml:\d+:\d+ \/stores must be a list/,
  ]) {
    assert.match(stderr, fault);
  }
  assert.equal((await client.webhooks.list()).totalElements, 0);
});

const palette = {
  primary: '#0a5c36',
  onPrimary: '#ffffff',
  background: '#ffffff',
  surface: '#f4f6f5',
  text: '#1b1f1d',
  mutedText: '#4f5955',
  border: '#6b7671',
  error: '#a3001b',
  success: '#0a5c36',
};
const EXAMPLE = fileURLToPath(new URL('../../../../examples/configuration', import.meta.url));

test('the example: secrets, policies of stores, themes with texts, custom pages and API keys are made once, exported, and found unchanged', async (t) => {
  const { env, folder, write, client } = await configurable(t);
  cpSync(EXAMPLE, folder, { recursive: true });

  const refused = await grove(['apply', folder], env);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /cloudSecrets\.yaml:\d+:\d+ \/cloudSecrets\/0 is new, and the environment has no SECRET_CRM_KEY/,
  );
  assert.equal((await client.stores.list()).totalElements, 0, 'nothing was changed');

  // The owner of a test key may have made one of the same name.
  const squatter = await client.apiKeys.create({ body: { name: 'back office', environment: 'test' } });
  const withValue = { ...env, SECRET_CRM_KEY: 'a-value-that-no-file-has' };
  const first = await groveJson<AppliedPlan>(['apply', folder], withValue);
  assert.deepEqual(
    first.resources.map(({ action, kind }) => `${action} ${kind}`),
    ['cloudSecrets', 'stores', 'watchlists', 'webhooks', 'themes', 'pages', 'apiKeys'].map((kind) => `create ${kind}`),
  );
  const [ofHook, ofKey] = first.secrets ?? [];
  assert.match(ofHook?.secret ?? '', /^whsec_/);
  assert.match(ofKey?.secret ?? '', /^grv_live_/);
  const named = (await client.apiKeys.list({ query: { name: 'back office' } })).content;
  assert.deepEqual(
    named
      .map(({ id, environment, permissions }) => [environment, id === squatter.id, permissions[0]])
      .toSorted(([one], [other]) => String(one).localeCompare(String(other))),
    [
      ['live', false, 'TNT#acme#ProcessManager:*'],
      ['test', true, undefined],
    ],
  );
  assert.equal((await client.processSettings.get()).readBudget.personsPerHour, 500);

  const again = await groveJson<AppliedPlan>(['plan', folder], env);
  assert.equal(again.changes, false);
  assert.ok(
    again.unmanaged?.some(({ kind }) => kind === 'apiKeys'),
    'the first key of the tenant is in no file',
  );

  const elsewhere = temporaryFolder(t);
  const { files } = await groveJson<{ files: string[] }>(['export', elsewhere], env);
  assert.ok(files.includes('pages/questions/index.html') && files.includes('themes.yaml'));
  const all = files.map((file) => readFileSync(join(elsewhere, file), 'utf8')).join('\n');
  assert.doesNotMatch(all, /whsec_|grv_live_|a-value-that-no-file-has|TNT#/);
  assert.match(
    readFileSync(join(elsewhere, 'stores.yaml'), 'utf8'),
    /^# yaml-language-server: \$schema=http.*\/schemas\/stores\.json/,
  );
  assert.equal((await groveJson<AppliedPlan>(['plan', elsewhere], env)).changes, false);

  write('pages/questions/index.html', '<p>two</p>');
  write('themes.yaml', { themes: [{ name: 'spring', palette, texts: { en: { 'start.title': 'Hello' } } }] });
  const totpPolicies = { app: { issuer: 'Ours' }, key: { issuer: 'Example', digits: 8 } };
  write('stores.yaml', { stores: [{ name: 'customers', configuration: { totpPolicies } }] });
  const drift = await grove(['plan', folder, '--check'], env);
  assert.equal(drift.code, 2);
  for (const kind of ['themes "spring"', 'pages "questions"', 'stores "customers"']) {
    assert.match(drift.stdout, new RegExp(`~ ${kind}: to be changed`));
  }
  assert.equal((await grove(['import', folder], env)).code, 2, 'nobody is there to be asked');
  await groveJson<AppliedPlan>(['import', folder, '--yes'], env);
  assert.equal((await groveJson<AppliedPlan>(['plan', folder], env)).changes, false);
  const store = await client.stores.get({ storeName: 'customers' });
  assert.deepEqual(
    [store.configuration.totpPolicies.app?.issuer, store.configuration.totpPolicies.key?.digits],
    ['Ours', 8],
  );
});

test('pages are exported and found unchanged with every name that the server accepts, and a policy may have a prototype name', async (t) => {
  const { env, folder, write } = await configurable(t);
  const names = ['_one', 'a page', 'v1.2'];
  for (const name of names) write(`pages/${name}/index.html`, '<p>');
  write('stores.yaml', { stores: [{ name: 's' }] });
  await groveJson(['apply', folder], env);
  const { files } = await groveJson<{ files: string[] }>(['export', folder, '--force'], env);
  for (const name of names) assert.ok(files.includes(`pages/${name}/index.html`), name);
  assert.equal((await groveJson<AppliedPlan>(['plan', folder], env)).changes, false);
  write('stores.yaml', { stores: [{ name: 's', configuration: { totpPolicies: { constructor: { issuer: 'x' } } } }] });
  assert.match((await grove(['plan', folder], env)).stdout, /stores "s": to be changed/);
});

test('refusals of the schemas and the server come in one round, and secrets that are shown once are not lost', async (t) => {
  const { env, folder, write, client } = await configurable(t);
  write('apiKeys.yaml', { apiKeys: [{ name: 'x', permissions: ['TNT#acme#ProcessManager:*'], status: 'OPEN' }] });
  write('themes.yaml', { themes: [{ name: 'y', palette: { ...palette, primry: '#000000' } }] });
  write('stores.yaml', {
    stores: [{ name: 's', configuration: { maxUsers: 'many', passkeyConfigs: { a: { rpNam: 1 } } } }],
  });
  write('pages/bad/index.html', '<p>');
  write('pages/bad/program.exe', 'x');
  const { code, stderr } = await grove(['plan', folder], env);
  assert.equal(code, 1);
  for (const fault of [
    /apiKeys\.yaml:\d+:\d+ \/apiKeys\/0\/permissions\/0 must match pattern/,
    /apiKeys\.yaml:\d+:\d+ \/apiKeys\/0\/status must be equal to one of/,
    /themes\.yaml:\d+:\d+ \/themes\/0\/palette\/primry is unknown/,
    /stores\.yaml:\d+:\d+ \/stores\/0\/configuration\/maxUsers must be integer/,
    /stores\.yaml:\d+:\d+ \/stores\/0\/configuration\/passkeyConfigs\/a\/rpNam is unknown/,
    /pages\/bad\/program\.exe /,
  ]) {
    assert.match(stderr, fault);
  }

  rmSync(join(folder, 'pages'), { recursive: true });
  write('stores.yaml', { stores: [] });
  write('apiKeys.yaml', { apiKeys: [{ name: 'x', permissions: ['Nothing:atAll'] }] });
  write('themes.yaml', { themes: [{ name: 'y', palette: { ...palette, text: '#ffffff' } }] });
  write('webhooks.yaml', { webhooks: [hook, { ...hook, name: 'inside', uri: 'https://10.0.0.1/' }] });
  const half = await grove(['apply', folder], env);
  assert.equal(half.code, 1);
  assert.match(half.stderr, /The secret of webhooks "crm", shown this once: whsec_/);
  for (const fault of [/webhooks "inside": .*\(100071\)/, /themes "y": .*\(100098\)/, /apiKeys "x": /]) {
    assert.match(half.stderr, fault);
  }
  assert.equal((await client.webhooks.list()).totalElements, 1);
});

test('a test key makes themes and pages of its own where live ones have the same name, and finds them the next time', async (t) => {
  const { env, folder, write, client } = await configurable(t);
  const theme = (radius: number) => write('themes.yaml', { themes: [{ name: 'spring', radius, palette }] });
  const page = (text: string) => write('pages/questions/index.html', `<p>${text}</p>`);
  theme(4);
  for (const text of ['one', 'two', 'live']) {
    page(text);
    await groveJson(['apply', folder], env);
  }
  const { code: testKey } = await client.apiKeys.create({
    body: { name: 'pipeline', environment: 'test', permissions: ['TNT#acme#*'] },
  });
  const test = { ...env, GROVE_API_KEY: testKey };
  assert.equal(
    (await groveJson<AppliedPlan>(['plan', folder], test)).changes,
    false,
    'test journeys use the live ones',
  );

  theme(8);
  page('test');
  const { resources } = await groveJson<AppliedPlan>(['apply', folder], test);
  assert.deepEqual(
    resources.map(({ action, name }) => `${action} ${name}`),
    ['create spring', 'update questions'],
  );
  assert.equal((await groveJson<AppliedPlan>(['plan', folder], test)).changes, false);
  assert.equal((await client.themes.list()).content[0]?.radius, 4);
  const exported = temporaryFolder(t);
  await groveJson(['export', exported], test);
  assert.equal(readFileSync(join(exported, 'pages/questions/index.html'), 'utf8'), '<p>test</p>');

  theme(12);
  await groveJson(['apply', folder], test);
  assert.equal((await groveJson<AppliedPlan>(['plan', folder], test)).changes, false);
  theme(4);
  page('live');
  assert.equal((await groveJson<AppliedPlan>(['plan', folder], env)).changes, false, 'live is as before');
});
