import assert from 'node:assert/strict';
import { it } from 'node:test';
import { percentOf } from './percent.ts';

it('the percentage of a download stays below a hundred, and is not shown if the size is not known', () => {
  assert.equal(percentOf(250, 1000, 'en'), '25%');
  assert.equal(percentOf(1000, 1000, 'en'), '99%');
  assert.equal(percentOf(5000, 1000, 'en'), '99%');
  assert.equal(percentOf(5000, 0, 'en'), '');
  assert.equal(percentOf(5000, Number.NaN, 'en'), '');
});
