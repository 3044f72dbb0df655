import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NO_DATA } from '../state.ts';
import { knownValues } from './known-values.ts';

const text = { type: 'string' };
const biographicData = [
  { fieldName: 'First Name', values: { visualZoneValue: 'Zoë', mrzValue: 'ZOE' } },
  { fieldName: 'Last Name', values: { mrzValue: 'ERIKSSON' } },
  { fieldName: 'Date Of Birth', values: { visualZoneValue: '12.08.74', mrzValue: '1974-08-12' } },
  { fieldName: 'Nationality', values: { mrzValue: 'UTO' } },
];
const valuesFor = (properties: object, params = {}) =>
  knownValues({ properties }, { params, data: { ...NO_DATA, documents: { doc1: { biographicData }, doc2: {} } } });

it('a form is filled with the values of a document, as they are printed if they are', () => {
  assert.deepEqual(valuesFor({ first_name: text, surname: text, shoeSize: text }), {
    first_name: 'Zoë',
    surname: 'ERIKSSON',
  });
});

it('a form is filled with the parameters of the relying party first', () => {
  assert.deepEqual(valuesFor({ firstName: text }, { firstName: 'Zo' }), { firstName: 'Zo' });
});

it('a form is not filled with values that it would refuse, and dates have its format', () => {
  assert.deepEqual(valuesFor({ dateOfBirth: { ...text, format: 'date' } }), { dateOfBirth: '1974-08-12' });
  assert.deepEqual(valuesFor({ lastName: { ...text, maxLength: 7 } }), {});
  assert.deepEqual(valuesFor({ nationality: { ...text, enum: ['D'] }, firstName: { type: 'number' } }), {});
  assert.deepEqual(valuesFor({ nationality: { ...text, enum: ['UTO'] } }), { nationality: 'UTO' });
});

it('a form is not filled without a document, whatever its fields are called', () => {
  assert.deepEqual(knownValues({ properties: { constructor: text, name: text } }, { params: {}, data: NO_DATA }), {});
});
