import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Facts, visualChecks } from './checks.ts';
import { showsDayOf } from './dates.ts';

const FACTS: Facts = {
  documentNumber: 'A04764419',
  surname: 'AAKESSON',
  givenNames: 'BJOERN',
  birthDate: '1975-01-01',
  expiryDate: '2035-03-27',
};

/** The result of a field when print shows these texts, each on a line of its own. */
function resultOf(field: keyof Facts, texts: readonly string[], confidence = 1): string | undefined {
  const lines = texts.map((text, y) => ({ text, confidence, x: 0.1, y: y / 30, width: 0.3, height: 0.02 }));
  const checks = visualChecks(FACTS, { lines, fields: [], models: [] }, 'mrz', { fewDates: true });
  return checks.find(({ name }) => name === `visual.${field}.mrz`)?.result;
}

test('a name of a zone that print shows with another letter was changed, with or without its label', () => {
  const nameResult = (text: string, rivals?: readonly string[]) => {
    const line = { text, confidence: 1, x: 0.1, y: 0.1, width: 0.3, height: 0.02, ...(rivals && { rivals }) };
    const checks = visualChecks(FACTS, { lines: [line], fields: [], models: [] }, 'mrz');
    return checks.find(({ name }) => name === 'visual.surname.mrz')?.result;
  };
  const clear = Array.from('AKESSON', () => '');
  assert.equal(nameResult('AKESSON', clear), 'passed');
  assert.equal(nameResult('AKEFSON', clear), 'failed');
  assert.equal(nameResult('AKEFSON', clear.with(3, 'S')), 'passed');
  assert.equal(nameResult('AMBERGS', clear), 'not_performed');
});

const numberResult = (...texts: string[]) => resultOf('documentNumber', texts);

test('a number that differs in a character or two from that of the zone was changed, with or without its label', () => {
  assert.equal(numberResult('sument No./No.du document', 'A04764469'), 'failed');
  assert.equal(numberResult('No. A04764469'), 'failed');
  assert.equal(numberResult('A04764469', 'A04764419'), 'passed');
});

test('another number, a date and look-alikes are no changed number', () => {
  assert.equal(numberResult('B91764218', '01JAN1975', '27 MAR 2035'), 'not_performed');
  assert.equal(numberResult('AO4764419'), 'passed');
  assert.equal(numberResult('A0476441'), 'not_performed');
});

test('a labelled number that the reader has cut in two is unread, and one that differs is changed', () => {
  const labelledResult = (value: string) => {
    const line = { text: value, confidence: 1, x: 0.1, y: 0.1, width: 0.3, height: 0.02 };
    const field = { name: 'documentNumber', label: 'Passport No.', value, confidence: 1 } as const;
    const checks = visualChecks(FACTS, { lines: [line], fields: [field], models: [] }, 'mrz');
    return checks.find(({ name }) => name === 'visual.documentNumber.mrz')?.result;
  };
  assert.equal(labelledResult('4764419'), 'not_performed');
  assert.equal(labelledResult('A047644'), 'not_performed');
  assert.equal(labelledResult('4764418'), 'failed');
  assert.equal(labelledResult('A04764419'), 'passed');
});

test('a number is not reported as changed where the reader is unsure, or where letters differ', () => {
  assert.equal(resultOf('documentNumber', ['A04764469'], 0.8), 'not_performed');
  assert.equal(numberResult('SERIA X N4764419'), 'not_performed');
});

test('a date of a passport that is none of birth, issue and expiry was changed, with or without its label', () => {
  const issue = '28 DEC 2025';
  assert.equal(resultOf('birthDate', ['01 JAN 1985', issue, '27 MAR 2035']), 'failed');
  assert.equal(resultOf('expiryDate', ['01 JAN 1975', issue, '27 MAR 2037']), 'failed');
  // Two dates may be dates of issue, but only one is.
  assert.equal(resultOf('expiryDate', ['01 JAN 1975', issue, '27 MAR 2033']), 'failed');
  assert.equal(resultOf('birthDate', [issue, '28DEC 2025', '27 MAR 2035']), 'not_performed');
  assert.equal(resultOf('birthDate', ['01 JAN 1975', '03 MAY 1999', issue]), 'passed');
  // The year may be cut short.
  assert.equal(resultOf('expiryDate', ['01 JAN 1975', issue, '27 MAR 20']), 'not_performed');
});

test('a date that differs in a digit which the reader found possible is unread, neither changed nor confirmed', () => {
  const text = '01 JAN 1985';
  const birthOf = (rivals: readonly string[], label?: 'birthDate') => {
    const line = { text, rivals, confidence: 1, x: 0.1, y: 0.1, width: 0.3, height: 0.02 };
    const fields = label ? [{ name: label, label: 'Date of birth', value: text, confidence: 1 }] : [];
    const checks = visualChecks(FACTS, { lines: [line], fields, models: [] }, 'mrz', { fewDates: true });
    return checks.find(({ name }) => name === 'visual.birthDate.mrz')?.result;
  };
  const clear = Array.from(text, () => '');
  for (const label of [undefined, 'birthDate'] as const) {
    assert.equal(birthOf(clear, label), 'failed');
    assert.equal(birthOf(clear.with(9, '7'), label), 'not_performed');
    assert.equal(birthOf(clear.with(9, '?'), label), 'not_performed');
    // The doubt is about another digit, or about another value of this one.
    assert.equal(birthOf(clear.with(9, '6'), label), 'failed');
    assert.equal(birthOf(clear.with(10, '?'), label), 'failed');
  }
});

test('a date is found in two languages, with scattered spaces, and in two boxes beside each other', () => {
  for (const text of ['01 JAN/JAN 75', '01 JANUARY/JAN 75', '01 STY/JAN 1975', '01JAN7JAN75', '01 JAN /J AN 75']) {
    assert.equal(resultOf('birthDate', [text]), 'passed', text);
  }
  const box = { confidence: 1, y: 0.5, height: 0.03 };
  const lines = [
    { ...box, text: '01 JAN', x: 0.1, width: 0.1 },
    { ...box, text: '1975', x: 0.21, width: 0.05 },
  ];
  const checks = visualChecks(FACTS, { lines, fields: [], models: [] }, 'mrz');
  assert.equal(checks.find(({ name }) => name === 'visual.birthDate.mrz')?.result, 'passed');
});

/** Boxes in one row, each close to the previous one. */
function rowOf(...texts: readonly string[]) {
  return texts.map((text, at) => ({ text, confidence: 1, x: 0.1 + at * 0.11, y: 0.5, width: 0.1, height: 0.03 }));
}

test('a date is found in three boxes beside each other, and a digit lost between two boxes is no change', () => {
  const birthOf = (...texts: string[]) =>
    visualChecks(FACTS, { lines: rowOf(...texts), fields: [], models: [] }, 'mrz', { fewDates: true }).find(
      ({ name }) => name === 'visual.birthDate.mrz',
    )?.result;
  assert.equal(birthOf('01', '01', '1975'), 'passed');
  assert.equal(birthOf('01.0', '1985'), 'not_performed');
  assert.equal(birthOf('01.01', '1985'), 'failed');
});

test('a partly read date names the part, unless it belongs to another date', () => {
  const partOf = (...texts: string[]) =>
    visualChecks(FACTS, { lines: rowOf(...texts), fields: [], models: [] }, 'mrz').find(
      ({ name }) => name === 'visual.expiryDate.mrz',
    )?.partRead;
  for (const text of ['MAR 2035', '03.2035']) assert.equal(partOf(text), 'year', text);
  for (const text of ['27 MAR/MAR', '27.03']) assert.equal(partOf(text), 'day', text);
  for (const text of ['27 MAR 2025', '2035', '27', '27.03.2025', '27 APR', 'MAR 2045']) {
    assert.equal(partOf(text), undefined, text);
  }
});

test('day and month are recognised as the beginning of a date', () => {
  for (const text of ['27 MAR/MAR', '27.03', '27 MAR']) assert.equal(showsDayOf(FACTS.expiryDate, text), true, text);
  for (const text of ['27 MAR 2035', '27', '27 APR', 'MAR 2035']) {
    assert.equal(showsDayOf(FACTS.expiryDate, text), false, text);
  }
});

test('a birth a century before that of the zone is a difference: or children would become old', () => {
  const facts = { ...FACTS, birthDate: '2011-01-01' };
  const birthOf = (text: string) => {
    const lines = [{ text, confidence: 1, x: 0.1, y: 0.1, width: 0.2, height: 0.02 }];
    const checks = visualChecks(facts, { lines, fields: [], models: [] }, 'mrz', { fewDates: true });
    return checks.find(({ name }) => name === 'visual.birthDate.mrz')?.result;
  };
  assert.equal(birthOf('01.01.2011'), 'passed');
  assert.equal(birthOf('01.01.1911'), 'failed');
});

test('a year may be further from its month than other parts of a date', () => {
  const row = { confidence: 1, y: 0.5, height: 0.03 };
  const birthOf = (year: string) =>
    visualChecks(
      FACTS,
      {
        lines: [
          { ...row, text: '01 JAN/JAN', x: 0.1, width: 0.2 },
          { ...row, text: year, x: 0.38, width: 0.05 },
        ],
        fields: [],
        models: [],
      },
      'mrz',
    ).find(({ name }) => name === 'visual.birthDate.mrz')?.result;
  assert.equal(birthOf('1975'), 'passed');
  assert.equal(birthOf('75'), 'not_performed');
});
