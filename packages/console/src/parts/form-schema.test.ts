import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  fieldsOf,
  kindOf,
  missingIn,
  optionsOf,
  optionText,
  textIn,
  withFields,
  withKind,
  withOptions,
  withOptionText,
  withText,
} from './form-schema.ts';

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['email'],
  properties: {
    email: { type: 'string', format: 'email', title: 'E-mail' },
    pets: { type: 'array', items: { type: 'string', enum: ['cat', 'dog'], labels: { cat: 'A cat' } } },
  },
};

it('fields are read and written back without losing keywords that the builder does not know', () => {
  const fields = fieldsOf(SCHEMA);
  assert.deepEqual(
    fields.map(({ name, property, isRequired }) => [name, kindOf(property), isRequired]),
    [
      ['email', 'email', true],
      ['pets', 'several', false],
    ],
  );
  assert.deepEqual(withFields(SCHEMA, fields), SCHEMA);
  const turned = withFields(SCHEMA, fields.toReversed());
  assert.deepEqual(Object.keys(turned.properties as object), ['pets', 'email']);
  assert.ok(!('required' in withFields(SCHEMA, fields.slice(1))), 'no rule about a removed field');
});

it('a field of another kind keeps its texts and nothing else', () => {
  const date = withKind({ type: 'string', maxLength: 5, title: 'Born', description: { de: 'Geburt' } }, 'date');
  assert.deepEqual(date, { type: 'string', format: 'date', title: 'Born', description: { de: 'Geburt' } });
});

it('options of a list are those of its items, and the texts of an option are removed with it', () => {
  const pets = fieldsOf(SCHEMA)[1]?.property ?? {};
  assert.deepEqual([optionsOf(pets), optionText(pets, 'cat')], [['cat', 'dog'], 'A cat']);
  assert.deepEqual(optionText(withOptionText(pets, 'dog', { de: 'Hund' }), 'dog'), { de: 'Hund' });
  const rest = withOptions(pets, ['dog']);
  assert.deepEqual(rest, { type: 'array', items: { type: 'string', enum: ['dog'] } });
});

it('a text becomes texts by language with its second language, and one text again without it', () => {
  const both = withText('Name', 'de', 'Vorname');
  assert.deepEqual(both, { en: 'Name', de: 'Vorname' });
  assert.deepEqual([textIn(both, 'de'), textIn(both, 'fr'), textIn('Name', 'de')], ['Vorname', '', '']);
  assert.equal(withText(both, 'de', ''), 'Name');
  assert.equal(withText('Name', 'en', ''), undefined);
  assert.deepEqual(missingIn([both, 'City', undefined]), ['de']);
});
