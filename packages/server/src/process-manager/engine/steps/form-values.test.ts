import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { TEST_SEED } from '../../../../../../scripts/test-seed.ts';
import { formFaults } from './form-schema.ts';
import { formValueFaults, MAX_FAULTS } from './form-values.ts';

const values = fc.oneof(
  { depthSize: 'small' },
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -0,
    1,
    1.5,
    -3,
    '',
    'a',
    'äö',
    '😀',
    '2026-11-16',
    '1',
    'a@b.co',
    'x'.repeat(30),
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.array(fc.constantFrom(1, '1', null, { a: 1 }, { a: 1, b: 2 }, { b: 2, a: 1 }, [1], [1, 2]), { maxLength: 4 }),
  fc.record({ a: fc.jsonValue({ maxDepth: 1 }), b: fc.jsonValue({ maxDepth: 1 }) }, { requiredKeys: [] }),
);

const { schema: schemas } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object', 'null', ['string', 'null']),
        enum: fc.uniqueArray(values, { minLength: 1, maxLength: 4, selector: (each) => JSON.stringify(each) }),
        const: values,
        format: fc.constantFrom('date', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'time', 'date-time'),
        minLength: fc.nat(3),
        maxLength: fc.nat(3),
        minItems: fc.nat(2),
        maxItems: fc.nat(2),
        minimum: fc.integer({ min: -2, max: 2 }),
        exclusiveMaximum: fc.integer({ min: -2, max: 2 }),
        multipleOf: fc.constantFrom(1, 2, 0.5),
        uniqueItems: fc.boolean(),
        items: tie('schema'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        required: fc.uniqueArray(fc.constantFrom('a', 'b', 'toString')),
        additionalProperties: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
}));

describe('the values of a form', () => {
  it('the values of a form are accepted exactly if a library of JSON Schema accepts them', () => {
    const ajv = new Ajv({ strict: false, validateSchema: false, ownProperties: true });
    addFormats.default(ajv);
    const fits = (schema: object, value: unknown) => {
      const answer = ajv.validate(schema, value) as boolean;
      ajv.removeSchema(schema);
      return answer;
    };
    // Objects of fast-check have no prototype; those of a request body have one.
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
    const property = fc.property(schemas, values, (schema, value) => {
      const wrapped = plain({ type: 'object', properties: { v: schema } });
      const values = plain({ v: value });
      assert.equal(formValueFaults(wrapped, values).length === 0, fits(wrapped, values));
    });
    fc.assert(property, { numRuns: Number(process.env.GROVE_FUZZ_RUNS ?? 200), seed: TEST_SEED });
  });

  it('the values of a form are refused with the pointer of each fault', () => {
    const schema = {
      type: 'object',
      required: ['name', 'a/b'],
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        list: { type: 'array', items: { type: 'integer', minimum: 2 } },
        'a/b': {},
      },
    };
    assert.deepEqual(formValueFaults(schema, { list: [1, 2, 'x'], more: 1 }), [
      { pointer: '/name', message: 'is required' },
      { pointer: '/a~1b', message: 'is required' },
      { pointer: '/list/0', message: 'must be >= 2' },
      { pointer: '/list/2', message: 'must be integer' },
      { pointer: '', message: 'must NOT have additional properties' },
    ]);
  });

  it('the values of a form have limits of number and depth, and so has the list of faults', () => {
    const schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } };
    const list = (length: number) => ({ list: Array.from({ length }, (_, at) => at) });
    assert.equal(formValueFaults(schema, list(4000)).length, MAX_FAULTS);
    assert.deepEqual(formValueFaults(schema, list(6000)), [
      { pointer: '', message: 'must not hold more than 5000 values' },
    ]);
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], []);
    assert.match(formValueFaults(schema, { deep })[0]?.message ?? '', /nested deeper/);
  });

  it('the values of a form of the largest body are checked quickly even with the slowest schema of a definition', (test) => {
    const words = Array.from({ length: 1000 }, (_, at) => `a value with the number ${at}`);
    const items = { enum: words, type: 'string', minLength: 1, maxLength: 2000, format: 'email' };
    const field = { type: 'array', uniqueItems: true, items };
    const names = Array.from({ length: 9 }, (_, at) => `f${at}`);
    const schema = {
      type: 'object',
      properties: {
        ...Object.fromEntries(names.map((name) => [name, field])),
        objects: { type: 'array', uniqueItems: true, items: {} },
        long: { type: 'string', minLength: 1, maxLength: 1_000_000, format: 'email' },
      },
    };
    assert.deepEqual(formFaults(schema), []);
    const text = (length: number, at: number) => `${at}@${'a-'.repeat(length)}`;
    const bodies = {
      emails: { f0: Array.from({ length: 3000 }, (_, at) => text(150, at)) },
      words: Object.fromEntries(names.map((name) => [name, words.slice(0, 500)])),
      objects: { objects: Array.from({ length: 1600 }, (_, at) => ({ n: at, more: 'x'.repeat(600) })) },
      long: { long: text(500_000, 1) },
    };
    for (const [name, body] of Object.entries(bodies)) {
      assert.ok(JSON.stringify(body).length < 1_048_576);
      const times = [1, 2, 3].map(() => {
        const before = process.threadCpuUsage();
        formValueFaults(schema, body);
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1000;
      });
      test.diagnostic(`${name}: ${Math.min(...times)} ms of processor time`);
      assert.ok(Math.min(...times) <= 100, `${name}: ${times}`);
    }
  });

  it('the values of a form that are all allowed are checked quickly as well, although no fault ends the check', (test) => {
    const long = Array.from({ length: 900 }, (_, at) => `${at} ${'x'.repeat(1000)}`);
    const constant = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`m${at}`, 'x'.repeat(1000)]));
    const lists = {
      enum: { schema: { enum: ['a', ...long] }, list: Array.from({ length: 4900 }, () => 'a') },
      const: { schema: { const: constant }, list: Array.from({ length: 4900 }, () => ({})) },
    };
    for (const [name, { schema, list }] of Object.entries(lists)) {
      const properties = { list: { type: 'array', items: schema } };
      const times = [1, 2, 3].map(() => {
        // Parsed each time, as when it comes from the database.
        const read = JSON.parse(JSON.stringify({ type: 'object', properties }));
        assert.deepEqual(formFaults(read), []);
        const before = process.threadCpuUsage();
        formValueFaults(read, { list });
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1000;
      });
      test.diagnostic(`${name}: ${Math.min(...times)} ms of processor time`);
      assert.ok(Math.min(...times) <= 100, `${name}: ${times}`);
    }
  });

  it('the values of a form have names of at most 255 characters, so that fifty faults make no long answer', () => {
    const texts = { type: 'object', additionalProperties: { type: 'string' } };
    const schema = { type: 'object', properties: { a: {} }, additionalProperties: texts };
    const body = (name: string) => ({ [name]: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [at, at])) });
    assert.equal(formValueFaults(schema, body('x'.repeat(255))).length, MAX_FAULTS);
    assert.deepEqual(formValueFaults(schema, body('x'.repeat(900_000))), [
      { pointer: '', message: 'must not have names of more than 255 characters' },
    ]);
  });
});

describe('the schema of a form', () => {
  const faultsOf = (properties: object, more: object = {}) =>
    formFaults({ type: 'object', properties, ...more }).map(({ pointer, message }) => `${pointer} ${message}`);

  it('the schema of a form is refused with each invalid keyword', () => {
    const wrong = {
      type: 'text',
      minLength: -1,
      maxItems: 1.5,
      minimum: '1',
      multipleOf: 0,
      uniqueItems: 'yes',
      format: 'phone',
      required: [1],
      enum: [],
      title: 5,
      pattern: '(a+)+',
      properties: [],
      items: 5,
      examples: {},
    };
    const keywords = faultsOf({ a: wrong }).map((fault) => fault.split(' ')[0]?.replace('/schema/properties/a/', ''));
    assert.deepEqual(keywords.sort(), Object.keys(wrong).sort());
    assert.deepEqual(faultsOf({ a: { enum: [1, '1', 1] } }), [
      '/schema/properties/a/enum must not have one value twice',
    ]);
    assert.deepEqual(
      faultsOf({ a: { enum: [1, '1', null] }, b: true }, { required: ['a'], additionalProperties: false }),
      [],
    );
  });

  it('the schema of a form has limits of number, and is checked in time in proportion to its size', () => {
    const numbers = (length: number) => Array.from({ length }, (_, at) => at);
    assert.deepEqual(faultsOf({ a: { enum: numbers(1000) } }), []);
    assert.deepEqual(faultsOf({ a: { enum: numbers(1001) } }), [
      '/schema/properties/a/enum must not have more than 1000 values',
    ]);
    assert.deepEqual(faultsOf({ a: { enum: numbers(90_000) } }), ['/schema must not hold more than 10000 values']);
    assert.deepEqual(faultsOf({ a: { required: numbers(201).map(String) } }), [
      '/schema/properties/a/required must be a list of at most 200 names',
    ]);
    const unknown = Object.fromEntries(numbers(5000).map((at) => [`k${at}`, 1]));
    assert.equal(faultsOf({ a: unknown }).length, 50);
  });
});
