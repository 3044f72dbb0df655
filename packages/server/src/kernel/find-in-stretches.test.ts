import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findInStretches, type Stretches } from './find-in-stretches.ts';
import type { IdRange } from './id-range.ts';

const ALL = Array.from({ length: 10 }, (_, at) => `id${at}`);
const WHOLE = { from: '', below: '~' };

describe('a search in batches', () => {
  const stretches = (direction: 'ASC' | 'DESC', looks: IdRange[] = []): Stretches => {
    const within = ({ from, below }: IdRange) => {
      const ids = ALL.filter((id) => id >= from && id < below);
      return direction === 'DESC' ? ids.toReversed() : ids;
    };
    return {
      direction,
      edge: async (range) => within(range)[2],
      async ids(range) {
        looks.push(range);
        return within(range).filter((id) => Number(id.at(-1)) % 2 === 0);
      },
    };
  };

  it('a search in batches finds each match once, in either direction, and reads no further than it needs', async () => {
    const find = (direction: 'ASC' | 'DESC', enough: number, looks?: IdRange[]) =>
      findInStretches({}, direction, stretches(direction, looks), { ...WHOLE, enough });
    assert.deepEqual(await find('DESC', 100), ['id8', 'id6', 'id4', 'id2', 'id0']);
    assert.deepEqual(await find('ASC', 100), ['id0', 'id2', 'id4', 'id6', 'id8']);
    const looks: IdRange[] = [];
    assert.deepEqual(await find('DESC', 2, looks), ['id8', 'id6', 'id4']);
    assert.deepEqual(looks, [
      { from: 'id7', below: '~' },
      { from: 'id4', below: 'id7' },
    ]);
  });

  it('a search in batches lets other work run between two batches', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    const slow: Stretches = {
      ...stretches('DESC'),
      async ids() {
        for (const until = performance.now() + 5; performance.now() < until; );
        return [];
      },
    };
    await findInStretches({}, 'slow', slow, { ...WHOLE, enough: 1 });
    clearInterval(timer);
    assert.ok(turns >= 2, `${turns}`);
  });

  it('100010: a search in batches is refused if too many of its line are waiting, but not one of another line', async () => {
    const never = { ...stretches('DESC'), edge: () => new Promise<undefined>(() => undefined) };
    const refusals: number[] = [];
    for (let at = 0; at < 60; at += 1) {
      findInStretches({}, 'full', never, { ...WHOLE, enough: 1 }).catch(({ code }) => refusals.push(code));
    }
    await new Promise((turn) => setImmediate(turn));
    assert.deepEqual([refusals.length, new Set(refusals)], [9, new Set([100010])]);
    assert.equal((await findInStretches({}, 'other', stretches('DESC'), { ...WHOLE, enough: 1 })).length, 1);
  });
});
