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
const known = (properties: object, params = {}) =>
  knownValues({ properties }, { params, data: { ...NO_DATA, documents: { doc1: { biographicData }, doc2: {} } } });

it('what a document says stands in the form, as it is printed where it is', () => {
  assert.deepEqual(known({ first_name: text, surname: text, shoeSize: text }), {
    first_name: 'Zoë',
    surname: 'ERIKSSON',
  });
});

it('what the relying party has said comes first', () => {
  assert.deepEqual(known({ firstName: text }, { firstName: 'Zo' }), { firstName: 'Zo' });
});

it('what the form would refuse is left out, and a date is one that it takes', () => {
  assert.deepEqual(known({ dateOfBirth: { ...text, format: 'date' } }), { dateOfBirth: '1974-08-12' });
  assert.deepEqual(known({ lastName: { ...text, maxLength: 7 } }), {});
  assert.deepEqual(known({ nationality: { ...text, enum: ['D'] }, firstName: { type: 'number' } }), {});
  assert.deepEqual(known({ nationality: { ...text, enum: ['UTO'] } }), { nationality: 'UTO' });
});

it('without a document there is nothing to know, whatever a field is called', () => {
  assert.deepEqual(knownValues({ properties: { constructor: text, name: text } }, { params: {}, data: NO_DATA }), {});
});
