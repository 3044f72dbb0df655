import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newNumber, numbersFor } from './number-choice.ts';

describe('numbers to choose from', () => {
  it('numbers to choose from are three different ones of two digits, the right one among them, at any place', () => {
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
