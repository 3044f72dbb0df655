import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { serveTogether } from './serve-together.ts';

describe('requests of one turn', () => {
  it('are served in the order in which they came, each step of all before the next step of any', async () => {
    const inTurn = serveTogether();
    const seen: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      inTurn(async () => {
        seen.push(`${name} asks`);
        await undefined;
        seen.push(`${name} is answered`);
      });
    }
    assert.deepEqual(seen, []);
    await turn();
    assert.deepEqual(seen, ['a asks', 'b asks', 'c asks', 'a is answered', 'b is answered', 'c is answered']);
  });

  it('leave those that come while they are served to the next', async () => {
    const inTurn = serveTogether();
    const seen: number[] = [];
    inTurn(() => {
      seen.push(1);
      inTurn(() => seen.push(3));
      seen.push(2);
    });
    await turn();
    assert.deepEqual(seen, [1, 2]);
    await turn();
    assert.deepEqual(seen, [1, 2, 3]);
  });
});
