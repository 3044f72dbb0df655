import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDefinition, deploymentFaults } from './check-definition.ts';
import type { Lookup } from './check-references.ts';

const decide = { id: 'decide', type: 'decision' };
const passport = { id: 'document', type: 'document' };
const selfie = { id: 'selfie', type: 'face' };
const match = { id: 'match', type: 'faceMatch' };

const check = (...steps: readonly unknown[]) => checkDefinition({ name: 'a-journey', steps });
const faultsOf = (...steps: readonly unknown[]) =>
  check(...steps).faults.map(({ pointer, message }) => `${pointer} ${message}`);
const nowhere: Lookup = { has: async () => false, runs: async () => [] };

describe('a reference', () => {
  it('a reference to a document or a face must name the key of an earlier step', () => {
    assert.deepEqual(faultsOf(passport, selfie, match, decide), []);
    assert.deepEqual(faultsOf(match, passport, selfie, decide), [
      '/steps/0/document the document step with the key "doc1" comes later: put it above this step',
      '/steps/0/face the face step with the key "face1" comes later: put it above this step',
    ]);
    assert.match(
      faultsOf(passport, selfie, { ...match, document: 'doc2' }, decide)[0] ?? '',
      /^\/steps\/2\/document there is no document step with the key "doc2" above this step; did you mean doc1\?$/,
    );
  });

  it('a reference is looked up once, and a definition has at most 500', async () => {
    const lookups: string[] = [];
    const lookup: Lookup = { ...nowhere, has: async ({ name }) => lookups.push(name) > 0 };
    const step = (at: number, value: string) => ({
      id: `s${at}`,
      key: `s${at}`,
      type: 'http',
      url: 'https://a.example',
      headers: Object.fromEntries(Array.from({ length: 20 }, (_, header) => [`x-${header}`, value.repeat(5)])),
    });
    const same = Array.from({ length: 30 }, (_, at) => step(at, '{secret.one}'));
    assert.deepEqual(await deploymentFaults(check(...same, decide), lookup), []);
    assert.deepEqual(lookups, ['one']);
    const many = Array.from({ length: 30 }, (_, at) => ({
      ...step(at, ''),
      headers: Object.fromEntries(Array.from({ length: 20 }, (_, name) => [`x-${name}`, `{secret.n${at}-${name}}`])),
    }));
    const [fault] = await deploymentFaults(check(...many, decide), lookup);
    assert.deepEqual(fault, { pointer: '', message: 'refers to more than 500 objects' });
    assert.equal(lookups.length, 501);
  });

  it('a reference to an object that does not exist only prevents the deployment', async () => {
    const steps = [
      { id: 'page', type: 'customPage', page: 'welcome' },
      selfie,
      { id: 'list', type: 'watchlist', name: 'fraudsters' },
      { id: 'child', type: 'subprocess', definition: 'other', version: 3 },
      { id: 'crm', type: 'webhook', name: 'crm' },
      { id: 'call', type: 'http', url: 'https://api.example/check', headers: { 'X-Key': '{secret.key}' } },
      decide,
    ];
    const checked = checkDefinition({ name: 'referring', theme: 'spring', steps });
    assert.ok(checked.definition);
    assert.deepEqual(
      (await deploymentFaults(checked, nowhere)).map(({ pointer, message }) => `${pointer} ${message}`),
      [
        '/theme there is no theme named "spring"',
        '/steps/0/page there is no custom page named "welcome"',
        '/steps/2/name there is no watchlist named "fraudsters"',
        '/steps/3/definition version 3 of the definition "other" is not deployed',
        '/steps/4/name there is no webhook named "crm"',
        '/steps/5/headers/X-Key there is no cloud secret named "key"',
      ],
    );
    const everywhere: Lookup = { has: async () => true, runs: async () => [] };
    assert.deepEqual(await deploymentFaults(checked, everywhere), []);
    assert.deepEqual(await deploymentFaults(check(decide), nowhere), []);
  });

  it('a reference to a definition must not lead back to the definition itself, not even through others', async () => {
    const runs: Record<string, string[]> = { b: ['c'], c: ['d', 'a'], d: ['d'], e: ['b', 'c', 'd'] };
    const lookup: Lookup = {
      has: async ({ name }) => name in runs,
      runs: async ({ name }) => (runs[name] ?? []).map((each) => ({ kind: 'definition', name: each, pointer: '' })),
    };
    const faultOf = async (name: string, definition: string) => {
      const steps = [{ id: 'child', type: 'subprocess', definition }, decide];
      return (await deploymentFaults(checkDefinition({ name, steps }), lookup))[0]?.message;
    };
    assert.equal(await faultOf('a', 'a'), 'a definition cannot run itself');
    assert.equal(await faultOf('a', 'b'), 'would run itself: a → b → c → a');
    assert.equal(await faultOf('x', 'e'), undefined);
    assert.equal(await faultOf('x', 'nothing'), 'there is no deployed definition named "nothing"');
  });

  it('a reference to a definition that runs more than 100 others is a fault', async () => {
    const chain: Lookup = {
      has: async () => true,
      runs: async ({ name }) => [{ kind: 'definition', name: `n${Number(name.slice(1)) + 1}`, pointer: '' }],
    };
    const checked = check({ id: 'child', type: 'subprocess', definition: 'n0' }, decide);
    assert.match((await deploymentFaults(checked, chain))[0]?.message ?? '', /more than 100 other definitions/);
  });
});
