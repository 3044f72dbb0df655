import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { boundedMap } from './bounded-map.ts';

type Step = { kind: 'set' | 'get' | 'delete'; key: number };

const steps = () =>
  fc.array(
    fc.record({ kind: fc.constantFrom('set', 'set', 'get', 'delete') as fc.Arbitrary<Step['kind']>, key: fc.nat(20) }),
    { maxLength: 200 },
  );

describe('boundedMap', () => {
  it('boundedMap never holds more than its maximum, whatever operations are called', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps(), (max, todo) => {
        const map = boundedMap<number, number>(max);
        todo.forEach(({ kind, key }, at) => {
          if (kind === 'set') map.set(key, at);
          else map[kind](key);
          assert.ok(map.size <= max, `${map.size} of ${max}`);
        });
      }),
    );
  });

  it('boundedMap returns the newest value or nothing, never an older or a deleted one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps(), (max, todo) => {
        const map = boundedMap<number, number>(max);
        const model = new Map<number, number>();
        todo.forEach(({ kind, key }, at) => {
          if (kind === 'set') {
            map.set(key, at);
            model.set(key, at);
          } else if (kind === 'delete') {
            map.delete(key);
            model.delete(key);
          } else {
            const value = map.get(key);
            if (value !== undefined) assert.equal(value, model.get(key));
          }
        });
      }),
    );
  });

  it('boundedMap never weighs more than its limit plus its two newest entries', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ key: fc.nat(20), weight: fc.nat(100) }), { maxLength: 200 }), (todo) => {
        const map = boundedMap<number, number>(1000, { max: 200, of: (weight) => weight });
        for (const { key, weight } of todo) {
          map.set(key, weight);
          assert.equal(map.get(key), weight, 'what was just set is there');
          const total = Array.from({ length: 21 }, (_, each) => map.get(each) ?? 0).reduce(
            (sum, each) => sum + each,
            0,
          );
          assert.ok(total <= 200 + 2 * 100, `${total}`);
        }
      }),
    );
  });

  it('boundedMap remembers the newest entry, even if it may hold only one', () => {
    for (const max of [1, 2, 3, 10]) {
      const map = boundedMap<string, number>(max);
      for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) {
        map.set(key, at);
        assert.equal(map.get(key), at);
      }
    }
  });

  it('boundedMap keeps an entry in use while fewer than half its maximum of others are added', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 30 }), fc.array(fc.nat(30), { maxLength: 40 }), (max, rounds) => {
        const map = boundedMap<string, number>(max);
        map.set('used', 7);
        let other = 0;
        for (const round of rounds) {
          for (let left = round % (max >> 1); left > 0; left--) {
            other += 1;
            map.set(`other ${other}`, other);
          }
          assert.equal(map.get('used'), 7);
        }
      }),
    );
  });

  it('boundedMap drops an unused entry once as many others as its maximum are added', () => {
    const map = boundedMap<number, number>(10);
    map.set(-1, 0);
    for (let key = 0; key < 10; key++) map.set(key, key);
    assert.equal(map.get(-1), undefined);
  });
});
