import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiryFrom } from './expiry.ts';
import { UsageError } from './failure.ts';

const NOW = Date.parse('2030-01-01T00:00:00.000Z');

test('a duration, a day and a date-time become the date-time that the API takes', () => {
  assert.equal(expiryFrom('45m', NOW), '2030-01-01T00:45:00.000Z');
  assert.equal(expiryFrom('8h', NOW), '2030-01-01T08:00:00.000Z');
  assert.equal(expiryFrom('30d', NOW), '2030-01-31T00:00:00.000Z');
  assert.equal(expiryFrom('2030-02-03', NOW), '2030-02-03T00:00:00.000Z');
  assert.equal(expiryFrom('2030-02-03T04:05:06+01:00', NOW), '2030-02-03T03:05:06.000Z');
});

test('any other expiry is a fault of the command line', () => {
  for (const text of ['', 'soon', '8', '8w', '-8h', '2030-02-03T04:05:06', '2030-13-01', '03/02/2030']) {
    assert.throws(() => expiryFrom(text, NOW), UsageError, text);
  }
});
