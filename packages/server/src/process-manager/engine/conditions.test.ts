import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileCondition } from './conditions.ts';
import { newBudget } from './expressions/budget.ts';
import type { ExpressionError } from './expressions/expression-error.ts';
import { NO_DATA, type State } from './state.ts';

const NOW = Date.UTC(2026, 10, 16, 12);

const field = (fieldName: string, values: Record<string, string>) => ({ fieldName, values });

const passport = {
  documentType: 'PASSPORT',
  countryCode: 'UTO',
  biographicData: [
    field('First Name', { visualZoneValue: 'Anna María', mrzValue: 'ANNA MARIA' }),
    field('Last Name', { visualZoneValue: 'Eriksson' }),
    field('Document Number', { mrzValue: 'L898902C3' }),
    field('Nationality', { visualZoneValue: 'Utopian', mrzValue: 'UTO' }),
    field('Date Of Birth', { visualZoneValue: '17 NOV 2008', barcodeValue: '2008-11-17' }),
    field('Date Of Expiry', { mrzValue: '2032-04-15' }),
  ],
};

function holds(text: string, documents: State['data']['documents'] = { doc1: passport }, now = NOW): boolean {
  const state = {
    flow: { status: 'ACTIVE', done: {} },
    data: { ...NO_DATA, documents },
    params: { born: '2008-11-16' },
  };
  return compileCondition(text)(state as State, { now, budget: newBudget() });
}

describe('a condition', () => {
  it('a condition uses the time of the context', () => {
    assert.equal(holds('now == timestamp("2026-11-16T12:00:00Z")'), true);
    assert.equal(holds('now.getFullYear() == 2026 && now > date("2026-11-16") && now < date("2026-11-17")'), true);
    assert.equal(holds('now - duration("36h") == timestamp("2026-11-15T00:00:00Z")'), true);
  });

  it('a condition computes an age from a date', () => {
    assert.equal(holds('age(params.born) == 18 && age(date("2008-11-17")) == 17'), true);
    assert.equal(holds('age("2027-01-01") == -1'), true);
    for (const text of ['2023-02-29', '16.11.2008', '2008-11-16T00:00:00Z', '']) {
      assert.throws(() => holds(`age("${text}") > 0`), /is not a date/);
    }
  });

  it('a condition names the fields of a document, and prefers the machine-readable value', () => {
    const doc = 'data.documents.doc1';
    assert.equal(holds(`${doc}.givenNames == "ANNA MARIA" && ${doc}.surname == "Eriksson"`), true);
    assert.equal(holds(`${doc}.documentNumber == "L898902C3" && ${doc}.nationality == "UTO"`), true);
    assert.equal(holds(`${doc}.documentType == "PASSPORT" && ${doc}.countryCode == "UTO"`), true);
    assert.equal(holds(`${doc}.dateOfBirth == date("2008-11-17") && ${doc}.expires > now`), true);
  });

  it('a condition increases the age on a document as time passes', () => {
    const adult = 'data.documents.doc1.age >= 18 && age(data.documents.doc1.dateOfBirth) >= 18';
    assert.equal(holds(adult), false);
    assert.equal(holds(adult, { doc1: passport }, NOW + 24 * 60 * 60 * 1000), true);
  });

  it('a condition can ask whether a field was read, and cannot be evaluated with a field that was not', () => {
    const unread = { doc1: { biographicData: [field('Date Of Birth', { visualZoneValue: '12 AUG 1974' })] } };
    for (const name of ['dateOfBirth', 'age', 'expires', 'givenNames', 'surname', 'documentNumber', 'nationality']) {
      assert.equal(holds(`has(data.documents.doc1.${name})`), true, name);
      assert.equal(holds(`has(data.documents.doc1.${name})`, unread), false, name);
      assert.equal(holds(`has(data.documents.doc1.${name})`, {}), false, name);
    }
    assert.equal(holds('has(data.documents.doc1.age) && data.documents.doc1.age >= 18', unread), false);
    assert.throws(
      () => holds('data.documents.doc1.age >= 18', unread),
      ({ message, part }: ExpressionError) => message === 'is missing' && part === 'data.documents.doc1.age',
    );
  });
});
