import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { stepTypes } from '../engine/steps/registry.ts';
import { SHIPPED } from '../install-shipped.ts';
import { checkDefinition } from './check-definition.ts';
import { definitionSchema } from './schema.ts';

/** Uses the schema as somebody who has nothing but the published file. */
function validator() {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(definitionSchema());
}

describe('the published schema', () => {
  const validate = validator();

  it('the published schema is a JSON Schema of draft 2020-12 that contains no host', () => {
    assert.ok(new Ajv2020().validateSchema(definitionSchema()));
    assert.equal(definitionSchema().$id, 'urn:grove:process-definition');
    const text = JSON.stringify(definitionSchema());
    assert.deepEqual([...text.matchAll(/https?:\/\/[^"\s]*/g)].map(String), [
      'https://json-schema.org/draft/2020-12/schema',
      // The pattern of an address.
      ...[...text.matchAll(/\^(https:\/\/)"/g)].map(([, scheme]) => scheme),
    ]);
  });

  it('the published schema describes every type of step, and its settings', () => {
    const { $defs } = definitionSchema() as { $defs: Record<string, { description: string; properties: object }> };
    assert.deepEqual(Object.keys($defs), [...stepTypes.keys()]);
    for (const [type, { settings, about }] of stepTypes) {
      assert.equal($defs[type]?.description, about);
      for (const name of Object.keys(settings)) assert.ok(name in ($defs[type]?.properties ?? {}), `${type} ${name}`);
    }
  });

  it('the published schema accepts the shipped definitions, as they are written and as they are stored', () => {
    for (const name of SHIPPED) {
      const document = JSON.parse(readFileSync(new URL(`shipped/${name}.json`, import.meta.url), 'utf8'));
      assert.ok(validate(document), JSON.stringify(validate.errors));
      assert.ok(validate(checkDefinition(document).definition), JSON.stringify(validate.errors));
    }
  });

  it('the published schema refuses documents of the wrong form, as the server does', () => {
    const decide = { id: 'decide', type: 'decision' };
    const wrong = [
      { id: 'a', type: 'nothing' },
      { id: 'a' },
      { id: 'end', type: 'consent' },
      { id: 'a', type: 'consent', colour: 'red' },
      { id: 'a', type: 'consent', timeout: 'soon' },
      { id: 'a', type: 'consent', when: 'x'.repeat(2001) },
      { id: 'a', type: 'consent', key: 'a-b' },
      { id: 'a', type: 'form' },
      { id: 'a', type: 'document', accept: ['LIBRARY_CARD'] },
      { id: 'a', type: 'document', maxAttempts: 0 },
      { ...decide, onFail: 'end' },
      'consent',
    ];
    for (const step of wrong) {
      const document = { name: 'x', steps: [step, decide] };
      assert.ok(!validate(document), JSON.stringify(step));
      assert.notDeepEqual(checkDefinition(document).faults, [], JSON.stringify(step));
    }
    for (const more of [{ name: 'X' }, { name: '' }, { steps: [] }, { retentionDays: 0 }, { tags: [] }]) {
      const document = { name: 'x', steps: [decide], ...more };
      assert.ok(!validate(document), JSON.stringify(more));
      assert.notDeepEqual(checkDefinition(document).faults, [], JSON.stringify(more));
    }
  });
});
