import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sizeFault } from './size-fault.ts';

const limits = { maxValues: 3, maxDepth: 2, maxNameLength: 5 };

describe('the limits of a JSON value', () => {
  it('the limit of size of a JSON value counts the members and elements at every level', () => {
    for (const value of [1, null, [], [1, 2, 3], { a: [1, 2] }, { a: {}, b: [] }]) {
      assert.equal(sizeFault(value, limits), undefined, JSON.stringify(value));
    }
    for (const value of [[1, 2, 3, 4], { a: [1, 2, 3] }, { a: 1, b: [2, 3] }]) {
      assert.equal(sizeFault(value, limits), 'must not hold more than 3 values', JSON.stringify(value));
    }
  });

  it('the limit of depth of a JSON value applies however deep it is', () => {
    assert.equal(sizeFault([[1]], limits), undefined);
    assert.equal(sizeFault([[[]]], limits), 'must not be nested deeper than 2');
    const deep = Array.from({ length: 200_000 }).reduce<unknown>((inner) => [inner], []);
    const many = { ...limits, maxValues: 1_000_000, maxDepth: 30 };
    assert.equal(sizeFault(deep, many), 'must not be nested deeper than 30');
  });

  it('the limit of the length of names in a JSON value applies at every level', () => {
    assert.equal(sizeFault({ small: { fives: 1 } }, limits), undefined);
    assert.equal(sizeFault({ small: { longer: 1 } }, limits), 'must not have names of more than 5 characters');
  });
});
