import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fewPerTurn } from './few-per-turn.ts';

describe('the limit per turn', () => {
  it('the limit per turn lets only a few begin in a turn of the event loop, in their order, and other work in between', async () => {
    const mayBegin = fewPerTurn(3);
    const order: (number | 'other')[] = [];
    let isOver = false;
    const other = () => {
      order.push('other');
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    await Promise.all(Array.from({ length: 10 }, (_, at) => mayBegin().then(() => order.push(at))));
    isOver = true;
    assert.deepEqual(
      order.filter((each) => each !== 'other'),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    const turns = order.join().split('other');
    for (const turn of turns) assert.ok(turn.split(',').filter(Boolean).length <= 3, order.join());
    assert.ok(turns.length > 3, order.join());
  });

  it('the limit per turn lets one begin at once if nobody else does', async () => {
    const mayBegin = fewPerTurn(1);
    let isLater = false;
    setImmediate(() => {
      isLater = true;
    });
    await mayBegin();
    assert.equal(isLater, false);
    await mayBegin();
    assert.equal(isLater, true);
  });
});
