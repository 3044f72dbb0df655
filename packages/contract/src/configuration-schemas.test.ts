import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CONFIGURATION_FILES, configurationSchema } from './configuration-schemas.ts';

test('each file of a configuration has a valid schema that knows no secret and no unknown member', () => {
  for (const name of CONFIGURATION_FILES) {
    const schema = configurationSchema(name);
    assert.ok(schema && new Ajv2020({ strict: false }).validateSchema(schema), name);
    assert.doesNotMatch(JSON.stringify(schema), /"(value|sensitiveHeaders|code|secret)":\{/, name);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    assert.equal(validate({ unknown: 1 }), false, name);
  }
  assert.equal(configurationSchema('constructor'), undefined);
});

test('members are closed however deep they are', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(configurationSchema('stores') ?? {});
  const store = (configuration: object) => ({ stores: [{ name: 's', configuration }] });
  assert.equal(validate(store({ passkeyConfigs: { 'example.com': { rpName: 'Example' } } })), true);
  assert.equal(validate(store({ passkeyConfigs: { 'example.com': { rpNam: 'Example' } } })), false);
  assert.equal(validate(store({ lockConfiguration: { modalities: { FACE: { maxFailed: 1 } } } })), false);
});
