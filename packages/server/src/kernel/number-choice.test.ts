import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newNumber, numbersFor } from './number-choice.ts';

describe('the numbers of a hand-off', () => {
  it('the numbers of a hand-off are three different ones of two digits, with the right one at any position', () => {
    const places = new Set<number>();
    for (let round = 0; round < 300; round++) {
      const right = newNumber();
      const numbers = numbersFor(right);
      assert.equal(new Set(numbers).size, 3);
      assert.ok(numbers.every((number) => number >= 10 && number <= 99));
      places.add(numbers.indexOf(right));
    }
    assert.deepEqual([...places].sort(), [0, 1, 2]);
  });
});
