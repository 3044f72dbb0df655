import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from './errors.ts';
import { openTurns } from './take-turns.ts';

describe('the turns of callers', () => {
  it('the turns of callers with one name come one after another, even if one fails, and independently of another name', async () => {
    const takeTurns = openTurns(10);
    const done: string[] = [];
    let [atWork, most] = [0, 0];
    const work = (what: string) => async () => {
      atWork += 1;
      most = Math.max(most, atWork);
      await new Promise(setImmediate);
      atWork -= 1;
      done.push(what);
      if (what === 'b') throw new Error('b');
      return what;
    };
    const all = await Promise.allSettled(['a', 'b', 'c'].map((what) => takeTurns('one', work(what))));
    assert.deepEqual([done, most], [['a', 'b', 'c'], 1]);
    assert.deepEqual(
      all.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await Promise.all(['one', 'other'].map((name) => takeTurns(name, work(name))));
    assert.equal(most, 2);
  });

  it('the turns of callers are refused with 100010 if too many wait, and given again afterwards', async () => {
    const takeTurns = openTurns(1);
    const first = takeTurns('x', () => new Promise(setImmediate));
    const second = takeTurns('x', async () => 'second');
    const isRefusal = (error: unknown) => error instanceof ApiError && error.code === 100010;
    await assert.rejects(
      takeTurns('x', async () => 'third'),
      isRefusal,
    );
    await first;
    assert.equal(await second, 'second');
    assert.equal(await takeTurns('x', async () => 'fourth'), 'fourth');
  });
});
