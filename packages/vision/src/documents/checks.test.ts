import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Facts, visualChecks } from './checks.ts';

const FACTS: Facts = {
  documentNumber: 'A04764419',
  surname: 'AAKESSON',
  givenNames: 'BJOERN',
  birthDate: '1975-01-01',
  expiryDate: '2035-03-27',
};

function numberResult(...texts: string[]): string | undefined {
  const lines = texts.map((text) => ({ text, confidence: 1, x: 0, y: 0, width: 1, height: 1 }));
  const checks = visualChecks(FACTS, { lines, fields: [], models: [] }, 'mrz');
  return checks.find(({ name }) => name === 'visual.documentNumber.mrz')?.result;
}

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
