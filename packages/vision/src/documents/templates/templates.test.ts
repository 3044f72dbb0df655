import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VisualLine } from '../visual-field.ts';
import { fitNumber } from './fit-number.ts';
import { matchTemplate, TEMPLATES } from './match-template.ts';
import { isFullyRead, readFields } from './read-fields.ts';

type Row = readonly [text: string, x: number, y: number, width?: number, height?: number];

function linesOf(rows: readonly Row[]): VisualLine[] {
  return rows.map(([text, x, y, width = 0.2, height = 0.05]) => ({ text, x, y, width, height, confidence: 0.95 }));
}

function read(rows: readonly Row[]): Record<string, string> {
  const lines = linesOf(rows);
  const template = matchTemplate(lines);
  assert.ok(template);
  return {
    template: template.id,
    ...Object.fromEntries(readFields(lines, template).map(({ name, value, date }) => [name, date ?? value])),
  };
}

const LABELLED: readonly Row[] = [
  ['DRIVERLICENSE', 0.46, 0.06],
  ['California', 0.05, 0.06],
  ['DL', 0.34, 0.23, 0.03],
  // The reader takes the letter I for a one; the state's numbers begin with a letter.
  ['11234567', 0.38, 0.22],
  ['EXP08/31/2030', 0.33, 0.31],
  ['LNDOE', 0.34, 0.37],
  ['FNJANE ANN', 0.34, 0.42],
  ['1 ANY STREET', 0.34, 0.48],
  ['ANYTOWN,CA95818', 0.34, 0.52],
  ['DOB08/31/1977', 0.33, 0.57],
  ['08311977', 0.78, 0.63],
  ['ISS', 0.82, 0.83, 0.04],
  ['08/31/2025', 0.82, 0.87],
];

test('a licence of the USA is read by its labels, months first, with its state', () => {
  assert.deepEqual(read(LABELLED), {
    template: 'usa-ca-dl',
    expiryDate: '2030-08-31',
    birthDate: '1977-08-31',
    issueDate: '2025-08-31',
    documentNumber: 'I1234567',
    surname: 'DOE',
    givenNames: 'JANE ANN',
  });
  assert.equal(isFullyRead(linesOf(LABELLED)), true);
});

test('a licence is read with numbers of the AAMVA standard in boxes of their own, and a second field in the same line', () => {
  const fields = read([
    ['IOWA', 0.07, 0.05],
    ['DRIVER', 0.46, 0.05, 0.15, 0.04],
    ['LICENSE', 0.46, 0.1, 0.15, 0.04],
    ['1SAMPLE', 0.32, 0.22],
    ['2MARK', 0.31, 0.27],
    ['DLNo.123XX6789', 0.31, 0.47],
    ['11/07/20264bExp01/12/2031', 0.42, 0.53, 0.4],
    ['4alss', 0.31, 0.54, 0.08, 0.04],
    ['3DOB801/12/1967', 0.35, 0.83],
  ]);
  assert.deepEqual(fields, {
    template: 'usa-ia-dl',
    expiryDate: '2031-01-12',
    birthDate: '1967-01-12',
    issueDate: '2026-11-07',
    documentNumber: '123XX6789',
    surname: 'SAMPLE',
    givenNames: 'MARK',
  });
});

test('a value without a label is left out: a wrong date is worse than none', () => {
  const fields = read([
    ['Tennessee', 0.07, 0.05],
    ['DRIVER LICENSE', 0.46, 0.05],
    ['02/11/2019', 0.5, 0.3],
    ['DD 02/11/2020', 0.3, 0.5],
    ['ISS02/11/2019', 0.3, 0.6],
    ['1 WONDERFUL DRIVE', 0.3, 0.7],
  ]);
  assert.deepEqual(fields, { template: 'usa-tn-dl', issueDate: '2019-02-11' });
});

test('neither of two contradictory dates is accepted', () => {
  const fields = read([
    ['OHIO', 0.07, 0.05],
    ['DRIVER LICENSE', 0.46, 0.05],
    ['ISS01/02/2030', 0.3, 0.5],
    ['EXP01/02/2020', 0.3, 0.6],
  ]);
  assert.deepEqual(fields, { template: 'usa-oh-dl' });
});

test('the numbered fields of a European licence are read, days first', () => {
  const fields = read([
    ['FUHRERSCHEIN', 0.3, 0.05],
    ['BUNDESREPUBLIK DEUTSCHLAND', 0.5, 0.1, 0.4],
    ['1. MUSTERFRAU', 0.35, 0.2],
    ['2. ERIKA', 0.35, 0.27],
    ['3. 03.04.1984 BERLIN', 0.35, 0.34, 0.3],
    ['4a. 05.06.2023', 0.35, 0.41],
    ['4b. 04.06.2038', 0.35, 0.48],
    ['5. B072RRE2I55', 0.35, 0.55],
  ]);
  assert.deepEqual(fields, {
    template: 'deu-dl',
    birthDate: '1984-04-03',
    issueDate: '2023-06-05',
    expiryDate: '2038-06-04',
    surname: 'MUSTERFRAU',
    givenNames: 'ERIKA',
    documentNumber: 'B072RRE2I55',
  });
});

test('states whose names contain each other are distinguished, and none is recognised without a title', () => {
  const licence: Row = ['DRIVER LICENSE', 0.5, 0.3];
  assert.equal(matchTemplate(linesOf([['West Virginia', 0.1, 0.05], licence]))?.region, 'WV');
  assert.equal(matchTemplate(linesOf([['VIRGINIA', 0.1, 0.05], licence]))?.region, 'VA');
  assert.equal(matchTemplate(linesOf([['12 MAIN E', 0.1, 0.05], licence])), undefined);
  assert.equal(matchTemplate(linesOf([['PIERRE,SD57501-0000', 0.1, 0.05], licence]))?.region, 'SD');
  assert.equal(
    matchTemplate(
      linesOf([
        ['VIRGINIA', 0.1, 0.05],
        ['LIBRARY CARD', 0.5, 0.3],
      ]),
    ),
    undefined,
  );
});

test('there are templates for every state and province, the licences of Europe and more than ten national cards', () => {
  const regions = (country: string) =>
    new Set(TEMPLATES.filter((each) => each.country === country).map(({ region }) => region)).size;
  assert.deepEqual([regions('USA'), regions('CAN')], [51, 13]);
  const of = (pattern: RegExp) => TEMPLATES.filter(({ id }) => pattern.test(id)).length;
  assert.ok(of(/^[a-z]{3}-dl$/) >= 25);
  assert.ok(of(/^[a-z]{3}-id$/) >= 10);
});

test('a number is corrected only if its shape allows one way', () => {
  assert.equal(fitNumber('H00-12O456', [/^[A-Z]\d{8}$/]), 'H00120456');
  assert.equal(fitNumber('S514-172-80-844-0', [/^[A-Z]\d{12}$/]), 'S514172808440');
  assert.equal(fitNumber('1234567', [/^\d{9}$/]), undefined);
  assert.equal(fitNumber('0O12345', [/^[A-Z]\d{6}$/, /^[A-Z]{2}\d{5}$/]), undefined);
});
