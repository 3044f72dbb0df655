import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toUnit } from '../faces/embed.ts';
import { MAX_HITS, newExactGallery } from './exact.ts';
import { newGallery } from './gallery.ts';

/** Pseudo-random numbers, the same in every run. */
function vectors(count: number, seed = 1): Float32Array[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, () =>
    toUnit(Float32Array.from({ length: 512 }, () => next() + next() + next())),
  );
}

function near(vector: Float32Array, other: Float32Array): Float32Array {
  return toUnit(vector.map((value, at) => value + (other[at] as number) * 0.8));
}

describe('an exact search', () => {
  test('an exact search finds the nearest, in order, with their cosines', () => {
    const gallery = newExactGallery();
    const [query, stranger, ...others] = vectors(500) as [Float32Array, Float32Array, ...Float32Array[]];
    others.forEach((vector, at) => {
      gallery.put(`other ${at}`, vector);
    });
    gallery.put('the same', query);
    gallery.put('alike', near(query, stranger));
    const [first, second, third] = gallery.search(query, { limit: 3 });
    assert.deepEqual([first?.id, second?.id], ['the same', 'alike']);
    assert.ok(first && second && third && first.cosine > 0.999 && second.cosine > 0.7 && third.cosine < 0.3);
    assert.deepEqual(gallery.search(query, { limit: 10, atLeastCosine: 0.5 }).length, 2);
  });

  test('an exact search does not find removed faces and finds all others, however often it changes', () => {
    const gallery = newExactGallery();
    const all = vectors(300);
    all.forEach((vector, at) => {
      gallery.put(`${at}`, vector);
    });
    for (let at = 0; at < 300; at += 3) assert.equal(gallery.remove(`${at}`), true);
    assert.equal(gallery.remove('0'), false);
    gallery.put('1', all[0] as Float32Array);
    assert.equal(gallery.size(), 200);
    all.forEach((vector, at) => {
      const [hit] = gallery.search(vector, { limit: 1, atLeastCosine: 0.99 });
      const wanted = at === 0 ? '1' : at % 3 === 0 || at === 1 ? undefined : `${at}`;
      assert.equal(hit?.id, wanted, `${at}`);
    });
  });

  test('an exact search gives the same answer for any order of insertion, equals by name', () => {
    const [query, ...others] = vectors(50) as [Float32Array, ...Float32Array[]];
    const search = (order: number[]) => {
      const gallery = newExactGallery();
      for (const at of order) gallery.put(`${at}`, others[at % 20] as Float32Array);
      return gallery.search(query, { limit: 8 });
    };
    const order = Array.from({ length: 49 }, (_, at) => at);
    assert.deepEqual(search(order), search(order.reverse()));
  });

  test('an exact search never exceeds its limit, and refuses a vector of another length', () => {
    const gallery = newExactGallery();
    for (const [at, vector] of vectors(MAX_HITS + 50).entries()) gallery.put(`${at}`, vector);
    assert.equal(gallery.search(vectors(1, 9)[0] as Float32Array, { limit: 10_000 }).length, MAX_HITS);
    assert.throws(() => gallery.put('short', new Float32Array(128)), RangeError);
  });
});

describe('a search in turns', () => {
  /** Short vectors, so that many of them are made quickly. */
  const spoke = (at: number) => toUnit(Float32Array.from([Math.cos(at / 9000), Math.sin(at / 9000), 0, 0]));

  test('a search in turns finds the same as an uninterrupted one, and lets others have their turn', async () => {
    const gallery = newExactGallery(4);
    for (let at = 0; at < 20_000; at += 1) gallery.put(`${at}`, spoke(at));
    let turns = 0;
    const tick = setInterval(() => {
      turns += 1;
    }, 0);
    const found = await gallery.searchInTurns(spoke(777), { limit: 5 });
    clearInterval(tick);
    assert.deepEqual(found, gallery.search(spoke(777), { limit: 5 }));
    assert.ok(turns > 0);
  });

  test('a search in turns misses nobody and names nobody twice while others are removed', async () => {
    const gallery = newExactGallery(4);
    for (let at = 0; at < 20_000; at += 1) gallery.put(`${at}`, spoke(at));
    const searching = gallery.searchInTurns(spoke(19_999), { limit: 5 });
    for (let at = 0; at < 3000; at += 1) gallery.remove(`${at}`);
    const ids = (await searching).map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), ['19995', '19996', '19997', '19998', '19999']);
  });
});

describe('a gallery above the size for an index', () => {
  test('a large gallery finds people through the index, others by comparing, and nobody who was removed', async () => {
    const gallery = newGallery({ indexAbove: 400 });
    const people = vectors(600, 5);
    const [noise] = vectors(1, 77) as [Float32Array];
    people.forEach((vector, at) => {
      gallery.put(`${at}`, vector);
    });
    const found = () => people.map((vector) => gallery.search(near(vector, noise), { limit: 1 })[0]?.id);
    const everyone = people.map((_, at) => `${at}`);
    assert.deepEqual(found(), everyone);
    await gallery.settled();
    assert.deepEqual(gallery.stats(), { size: 600, indexed: 600, compared: 0 });
    const agreed = found().filter((id, at) => id === everyone[at]).length;
    assert.ok(agreed >= 594, `${agreed} of 600`);
    const [newcomer] = vectors(1, 123) as [Float32Array];
    gallery.put('new', newcomer);
    assert.equal(gallery.search(newcomer, { limit: 1 })[0]?.id, 'new');
    gallery.remove('new');
    assert.notEqual(gallery.search(newcomer, { limit: 1 })[0]?.id, 'new');
    gallery.put('5', people[6] as Float32Array);
    await gallery.settled();
    assert.deepEqual(
      gallery.search(people[6] as Float32Array, { limit: 2 }).map(({ id }) => id),
      ['5', '6'],
    );
  });
});
