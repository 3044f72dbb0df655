import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { configurable, consent, decide } from '../../test/configuration.ts';
import { grove, groveJson } from '../../test/grove.ts';

test('export writes the newest deployed version of each definition, which apply finds unchanged', async (t) => {
  const { env, folder, client } = await configurable(t);
  const make = async (steps: object[], deploy = true) => {
    const body = { name: 'mine', description: 'yes: "no"\n# 1', steps } as never;
    const { id } = await client.processDefinitions.create({ body });
    if (deploy) await client.processDefinitions.deploy({ processDefinitionId: id });
    return id;
  };
  await make([decide]);
  const newest = await make([consent, decide]);
  await make([{ ...consent, id: 'draft' }, decide], false);
  await client.processDefinitions.addTag({ processDefinitionId: newest, body: { name: 'live: 1' } });
  await client.processSettings.update({
    body: { redirectOrigins: ['https://www.example.com'], embedOrigins: ['https://shop.example'] },
  });

  const { files } = await groveJson<{ files: string[] }>(['export', folder], env);
  const names = ['age-check', 'document-and-selfie', 'document-only', 'kyc', 'mine', 'selfie-reauthentication'];
  assert.deepEqual(files, [...names.map((name) => `definitions/${name}.yaml`), 'settings.yaml', 'apiKeys.yaml']);
  assert.deepEqual(
    readdirSync(`${folder}/definitions`).sort(),
    names.map((name) => `${name}.yaml`),
  );
  const { tags, ...document } = parse(readFileSync(`${folder}/definitions/mine.yaml`, 'utf8'));
  assert.deepEqual(tags, ['live: 1']);
  assert.deepEqual(document, (await client.processDefinitions.get({ processDefinitionId: newest })).document);

  const planned = await groveJson<{ changes: boolean }>(['plan', folder], env);
  assert.equal(planned.changes, false);
});

test('export writes through no link, not even with --force', async (t) => {
  const { env, folder } = await configurable(t);
  const outside = `${folder}-outside`;
  mkdirSync(folder, { recursive: true });
  symlinkSync(outside, `${folder}/settings.yaml`);
  const toFile = await grove(['export', folder, '--force'], env);
  assert.equal(toFile.code, 2);
  assert.match(toFile.stderr, /holds links where settings\.yaml would be written/);
  symlinkSync(outside, `${folder}/definitions`);
  const toFolder = await grove(['export', folder, '--force'], env);
  assert.match(toFolder.stderr, /holds links where definitions\/age-check\.yaml, /);
  assert.equal(existsSync(outside), false);
});

test('export replaces differing files only with --force', async (t) => {
  const { env, folder } = await configurable(t);
  assert.equal((await grove(['export', folder], env)).code, 0);
  assert.equal((await grove(['export', folder], env)).code, 0);
  const file = `${folder}/definitions/document-only.yaml`;
  const exported = readFileSync(file, 'utf8');
  writeFileSync(file, '# mine\n');
  const refused = await grove(['export', folder], env);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /definitions\/document-only\.yaml already, with other content/);
  assert.equal(readFileSync(file, 'utf8'), '# mine\n');
  assert.equal((await grove(['export', folder, '--force'], env)).code, 0);
  assert.equal(readFileSync(file, 'utf8'), exported);
});
