import assert from 'node:assert/strict';
import { it } from 'node:test';
import { medianSeconds, rungOf } from './durations.ts';

const medianOf = (...seconds: number[]) => {
  const rungs = seconds.map((each) => rungOf(each * 1000));
  return medianSeconds((what) => rungs.filter((each) => each === what).length);
};

it('the median duration is a value of the scale, and undefined without any duration', () => {
  assert.equal(medianOf(), undefined);
  assert.equal(medianOf(0), 5);
  assert.equal(medianOf(5, 5.001, 600), 10);
  assert.equal(medianOf(4, 40), 5);
  assert.equal(medianOf(4, 40, 40), 45);
});

it('the median duration counts durations above the scale, and is undefined if they are the majority', () => {
  assert.equal(medianOf(7, 7, 90_000), 10);
  assert.equal(medianOf(7, 1801, 90_000), undefined);
});
