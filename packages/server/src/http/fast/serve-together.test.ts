import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { serveTogether } from './serve-together.ts';

describe('requests of one turn', () => {
  it('requests of one turn are served in the order of their arrival, each step of all before the next step of any', async () => {
    const { serve } = serveTogether();
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      serve(async () => {
        order.push(`${name} asks`);
        await undefined;
        order.push(`${name} is answered`);
      });
    }
    assert.deepEqual(order, []);
    await turn();
    assert.deepEqual(order, ['a asks', 'b asks', 'c asks', 'a is answered', 'b is answered', 'c is answered']);
  });

  it('requests that arrive while those of a turn are served wait for the next turn', async () => {
    const { serve } = serveTogether();
    const order: number[] = [];
    serve(() => {
      order.push(1);
      serve(() => order.push(3));
      order.push(2);
    });
    await turn();
    assert.deepEqual(order, [1, 2]);
    await turn();
    assert.deepEqual(order, [1, 2, 3]);
  });

  it('requests that were gathered are served at once, step by step', async () => {
    const { serve, gather } = serveTogether();
    const order: string[] = [];
    const ask = (name: string) =>
      serve(async () => {
        order.push(`${name} asks`);
        await undefined;
        order.push(`${name} is answered`);
      });
    ask('late');
    gather(() => {
      ask('a');
      ask('b');
      assert.deepEqual(order, []);
    });
    await undefined;
    await undefined;
    const steps = ['late', 'a', 'b'].map((name) => `${name} asks`);
    assert.deepEqual(order, [...steps, ...['late', 'a', 'b'].map((name) => `${name} is answered`)]);
    gather(() => undefined);
    ask('c');
    await turn();
    assert.equal(order.at(-1), 'c is answered');
  });
});
