import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { serveTogether } from './serve-together.ts';

describe('requests of one turn', () => {
  it('requests of one turn are served in the order of their arrival, each step of all before the next step of any', async () => {
    const { serve } = serveTogether();
    const seen: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      serve(async () => {
        seen.push(`${name} asks`);
        await undefined;
        seen.push(`${name} is answered`);
      });
    }
    assert.deepEqual(seen, []);
    await turn();
    assert.deepEqual(seen, ['a asks', 'b asks', 'c asks', 'a is answered', 'b is answered', 'c is answered']);
  });

  it('requests that arrive while those of a turn are served wait for the next turn', async () => {
    const { serve } = serveTogether();
    const seen: number[] = [];
    serve(() => {
      seen.push(1);
      serve(() => seen.push(3));
      seen.push(2);
    });
    await turn();
    assert.deepEqual(seen, [1, 2]);
    await turn();
    assert.deepEqual(seen, [1, 2, 3]);
  });

  it('requests that were gathered are served at once, step by step', async () => {
    const { serve, gather } = serveTogether();
    const seen: string[] = [];
    const ask = (name: string) =>
      serve(async () => {
        seen.push(`${name} asks`);
        await undefined;
        seen.push(`${name} is answered`);
      });
    ask('late');
    gather(() => {
      ask('a');
      ask('b');
      assert.deepEqual(seen, []);
    });
    await undefined;
    await undefined;
    const steps = ['late', 'a', 'b'].map((name) => `${name} asks`);
    assert.deepEqual(seen, [...steps, ...['late', 'a', 'b'].map((name) => `${name} is answered`)]);
    gather(() => undefined);
    ask('c');
    await turn();
    assert.equal(seen.at(-1), 'c is answered');
  });
});
