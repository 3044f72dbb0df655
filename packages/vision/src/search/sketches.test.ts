import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newSketches } from './sketches.ts';

const LENGTH = 512;

/** Pseudo-random numbers, the same in every run. Only their signs count, so their length does not. */
function vectors(count: number, seed = 1, length = LENGTH): Float32Array[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, () => {
    const vector = new Float32Array(length);
    for (let at = 0; at < length; at += 1) vector[at] = next();
    return vector;
  });
}

/** The number of different signs of two vectors, counted one by one. */
function differences(one: Float32Array, other: Float32Array): number {
  return one.filter((value, at) => value > 0 !== (other[at] as number) > 0).length;
}

describe('sketches', () => {
  for (const length of [256, LENGTH]) {
    test(`sketches of ${length} numbers find those that differ in the fewest signs`, async () => {
      const [query, ...all] = vectors(400, 3, length) as [Float32Array, ...Float32Array[]];
      const sketches = newSketches(length);
      for (const [at, vector] of all.entries()) sketches.put(`${at}`, vector);
      const sorted = all.map((vector) => differences(query, vector)).toSorted((one, other) => one - other);
      const limit = sorted[19] as number;
      const expected = all.flatMap((vector, at) => (differences(query, vector) <= limit ? [`${at}`] : []));
      assert.deepEqual((await sketches.nearest(query, 20)).toSorted(), expected.toSorted());
      assert.deepEqual((await sketches.nearest(query, 1000)).length, all.length);
    });
  }

  test('sketches with removed and replaced rows find each remaining one once', async () => {
    const sketches = newSketches();
    const all = vectors(300);
    for (const [at, vector] of all.entries()) sketches.put(`${at}`, vector);
    for (let at = 0; at < 300; at += 3) assert.equal(sketches.remove(`${at}`), true);
    assert.equal(sketches.remove('0'), false);
    sketches.put('1', all[0] as Float32Array);
    assert.equal(sketches.size(), 200);
    for (const [at, vector] of all.entries()) {
      const [name] = await sketches.nearest(vector, 1);
      if (at === 0) assert.equal(name, '1');
      else if (at % 3 === 0 || at === 1) assert.notEqual(name, `${at}`);
      else assert.equal(name, `${at}`);
    }
  });

  test('sketches in several turns find similar ones while others are removed', async () => {
    const sketches = newSketches(256);
    const [query, ...all] = vectors(70_000, 7, 256) as [Float32Array, ...Float32Array[]];
    sketches.put('first', query);
    for (const [at, vector] of all.entries()) sketches.put(`${at}`, vector);
    sketches.put('last', query);
    const searching = sketches.nearest(query, 2);
    for (let at = 0; at < 6000; at += 1) sketches.remove(`${at}`);
    assert.deepEqual((await searching).toSorted(), ['first', 'last']);
  });

  test('sketches of vectors of another length are refused', () => {
    assert.throws(() => newSketches().put('short', new Float32Array(256)), RangeError);
    assert.throws(() => newSketches(100), RangeError);
  });
});
