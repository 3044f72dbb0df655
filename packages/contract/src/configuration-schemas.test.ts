import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CONFIGURATION_FILES, configurationSchema } from './configuration-schemas.ts';

test('each file of a configuration has a valid schema that has no members for secrets and refuses unknown members', () => {
  for (const name of CONFIGURATION_FILES) {
    const schema = configurationSchema(name);
    assert.ok(schema && new Ajv2020({ strict: false }).validateSchema(schema), name);
    assert.doesNotMatch(JSON.stringify(schema), /"(value|sensitiveHeaders|code|secret)":\{/, name);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    assert.equal(validate({ unknown: 1 }), false, name);
  }
  assert.equal(configurationSchema('constructor'), undefined);
});

test('a schema of a configuration refuses unknown members at any depth', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(configurationSchema('stores') ?? {});
  const store = (configuration: object) => ({ stores: [{ name: 's', configuration }] });
  assert.equal(validate(store({ passkeyConfigs: { 'example.com': { rpName: 'Example' } } })), true);
  assert.equal(validate(store({ passkeyConfigs: { 'example.com': { rpNam: 'Example' } } })), false);
  assert.equal(validate(store({ lockConfiguration: { modalities: { FACE: { maxFailed: 1 } } } })), false);
});
