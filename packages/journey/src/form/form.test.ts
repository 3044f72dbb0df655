import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Field, fieldsOf, readableName } from './form-fields.ts';
import { readForm, serverFaults } from './read-form.ts';

const fields = (properties: Record<string, object>, required: string[] = []) =>
  fieldsOf({ type: 'object', properties, required });
const one = (property: object, required = true): Field => fields({ it: property }, required ? ['it'] : [])[0] as Field;
const keyOf = (field: Field, given: string | boolean | string[]) => readForm([field], { it: given }).faults[0]?.key;

describe('the fields of a form', () => {
  it('each type of the schema has its field', () => {
    const kinds = fields({
      a: { type: 'string' },
      b: { type: 'string', format: 'email' },
      c: { type: 'string', format: 'date' },
      d: { type: 'integer' },
      e: { type: 'number' },
      f: { type: 'boolean' },
      g: { type: 'string', enum: ['x'] },
      h: { type: 'array', items: { type: 'string', enum: ['x'] } },
      i: { type: 'array', items: { type: 'string' } },
      phoneNumber: { type: 'string' },
      j: { type: 'string', format: 'uri' },
      k: { enum: [1, 2] },
    }).map(({ kind }) => kind);
    assert.deepEqual(kinds, [
      'text',
      'email',
      'date',
      'integer',
      'number',
      'boolean',
      'enum',
      'several',
      'lines',
      'tel',
      'url',
      'enum',
    ]);
  });

  it('a field has its purpose for browsers, however its name is spelled', () => {
    const purposes = fields({ firstName: {}, last_name: {}, 'e-mail': {}, dateOfBirth: {}, ZIP: {}, other: {} });
    assert.deepEqual(
      purposes.map(({ autocomplete }) => autocomplete),
      ['given-name', 'family-name', 'email', 'bday', 'postal-code', undefined],
    );
  });

  it('a name without a title becomes words', () => {
    assert.deepEqual(['dateOfBirth', 'tax_number', 'iban'].map(readableName), ['Date of birth', 'Tax number', 'Iban']);
  });
});

describe('reading a form', () => {
  it('an empty field is not sent, and is a fault where it is required', () => {
    const list = fields({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'integer' } }, ['a']);
    assert.deepEqual(readForm(list, { a: '  ', b: '' }), {
      result: {},
      faults: [{ name: 'a', key: 'form.required' }],
    });
    assert.deepEqual(readForm(list, { a: ' Ada ', c: '7' }), { result: { a: 'Ada', c: 7 }, faults: [] });
  });

  it('values have the types that the schema wants', () => {
    const list = fields({
      n: { type: 'number' },
      e: { enum: [1, 2] },
      s: { type: 'array', items: { enum: ['x', 'y'] } },
      l: { type: 'array', items: { type: 'string' } },
      b: { type: 'boolean' },
      t: { type: 'string', format: 'time' },
    });
    assert.deepEqual(readForm(list, { n: '1,5', e: '2', s: ['y'], l: 'one\n\n two ', b: true, t: '09:30' }).result, {
      n: 1.5,
      e: 2,
      s: ['y'],
      l: ['one', 'two'],
      b: true,
      t: '09:30:00Z',
    });
  });

  it('each fault has a sentence of its own', () => {
    assert.equal(keyOf(one({ type: 'string', format: 'email' }), 'ada@home'), 'form.email');
    assert.equal(keyOf(one({ type: 'string', format: 'email' }), 'ada@example.com'), undefined);
    assert.equal(keyOf(one({ type: 'string', format: 'date' }), '2023-02-30'), 'form.date');
    assert.equal(keyOf(one({ type: 'string', format: 'date' }), '2024-02-29'), undefined);
    assert.equal(keyOf(one({ type: 'number' }), 'much'), 'form.number');
    assert.equal(keyOf(one({ type: 'integer' }), '1.5'), 'form.integer');
    assert.equal(keyOf(one({ type: 'integer', minimum: 18 }), '17'), 'form.min');
    assert.equal(keyOf(one({ type: 'integer', maximum: 99 }), '100'), 'form.max');
    assert.equal(keyOf(one({ type: 'string', minLength: 2 }), 'ä'), 'form.minLength');
    assert.equal(keyOf(one({ type: 'string', maxLength: 2 }), 'äöü'), 'form.maxLength');
    assert.equal(keyOf(one({ type: 'string', maxLength: 2 }), '👩👩'), undefined);
    assert.equal(keyOf(one({ type: 'string', format: 'uri' }), 'example'), 'form.url');
    assert.equal(keyOf(one({ type: 'boolean', const: true }), false), 'form.tick');
    assert.equal(keyOf(one({ type: 'boolean', const: true }, false), false), undefined);
  });

  it('a fault from the server is shown beside its field', () => {
    const list = fields({ age: { type: 'integer' }, 'a/b': { type: 'string' } });
    assert.deepEqual(
      serverFaults(list, [{ pointer: '/result/age' }, { pointer: '/result/a~1b/0' }, { pointer: '/revision' }]),
      [
        { name: 'age', key: 'form.invalid' },
        { name: 'a/b', key: 'form.invalid' },
      ],
    );
  });
});
