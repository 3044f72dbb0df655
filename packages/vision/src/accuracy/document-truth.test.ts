import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMrz } from '../mrz/parse-mrz.ts';
import { comparable, readDocumentTruth } from './document-truth.ts';

const LINES = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'];
const FIELDS = {
  documentCode: 'P',
  issuer: 'UTO',
  documentNumber: 'L898902C3',
  nationality: 'UTO',
  birthDate: '740812',
  sex: 'F',
  expiryDate: '120415',
  surname: 'ERIKSSON',
  givenNames: 'ANNA MARIA',
};

test('the truth of a set is read by file name or as a list, as lines or as fields', () => {
  assert.deepEqual(readDocumentTruth({ 'a.jpg': { mrz: LINES } }), [{ file: 'a.jpg', fields: FIELDS }]);
  assert.deepEqual(readDocumentTruth({ 'a.jpg': LINES.join('\n') }), [{ file: 'a.jpg', fields: FIELDS }]);
  assert.deepEqual(readDocumentTruth([{ file: 'a.jpg', mrz: null }]), [{ file: 'a.jpg' }]);
  const names = {
    filename: 'a.jpg',
    type: 'P<',
    country: 'UTO',
    number: 'L898902C3',
    nationality: 'UTO',
    date_of_birth: '1974-08-12',
    sex: 'Female',
    expiration_date: '120415',
    surname: 'Eriksson',
    names: 'ANNA MARIA',
  };
  assert.deepEqual(readDocumentTruth([names]), [{ file: 'a.jpg', fields: FIELDS }]);
});

test('a reading is compared in the form of the truth', () => {
  assert.deepEqual(comparable(parseMrz(LINES)?.fields), FIELDS);
  assert.equal(comparable(undefined), undefined);
});

test('a malformed truth is refused and not taken for a document without a zone', () => {
  assert.throws(() => readDocumentTruth({ 'a.jpg': ['P<UTO', 'SHORT'] }), /no known form/);
});
