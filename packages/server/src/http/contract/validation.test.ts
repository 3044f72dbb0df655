import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '@grove/contract';
import { Ajv } from 'ajv';

describe('the schemas of bodies and queries', () => {
  it('the schemas of bodies and queries are valid, so the server does not check them again when it compiles them', () => {
    const ajv = new Ajv({ strict: false });
    const schemas = operations().flatMap(({ id, operation: { body, query } }) =>
      [body, query].filter((schema) => schema !== undefined).map((schema) => ({ id, schema })),
    );
    assert.ok(schemas.length > 100);
    for (const { id, schema } of schemas) assert.ok(ajv.validateSchema(schema), `${id}: ${ajv.errorsText()}`);
  });
});
