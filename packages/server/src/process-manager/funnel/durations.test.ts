import assert from 'node:assert/strict';
import { it } from 'node:test';
import { medianSeconds, rungOf } from './durations.ts';

const medianOf = (...seconds: number[]) => {
  const rungs = seconds.map((each) => rungOf(each * 1000));
  return medianSeconds((what) => rungs.filter((each) => each === what).length);
};

it('the median is that of the scale, and of nobody there is none', () => {
  assert.equal(medianOf(), undefined);
  assert.equal(medianOf(0), 5);
  assert.equal(medianOf(5, 5.001, 600), 10);
  assert.equal(medianOf(4, 40), 5);
  assert.equal(medianOf(4, 40, 40), 45);
});

it('those who took longer than the scale goes count, and can be the most', () => {
  assert.equal(medianOf(7, 7, 90_000), 10);
  assert.equal(medianOf(7, 1801, 90_000), undefined);
});
