import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type LookName,
  MAX_REMEMBERED,
  MAX_WAITING,
  MAX_WAITING_BYTES,
  openLookAhead,
  REMEMBERED_MS,
} from './look-ahead.ts';

const face = (id: string): LookName => ({ kind: 'face', id });

/** Image analysis whose calls end when the test says so. */
function machine() {
  const analysed: string[] = [];
  const ends = new Map<string, { done(seen: string): void; failed(error: Error): void }>();
  const state = { free: true };
  const looks = openLookAhead({ isFree: () => state.free });
  const look = (id: string) => () => {
    analysed.push(id);
    return new Promise<string>((done, failed) => ends.set(id, { done, failed }));
  };
  return {
    analysed,
    looks,
    state,
    look,
    see: (id: string) => looks.see(face(id), look(id)),
    ahead: (id: string, bytes = 1) => looks.ahead(face(id), { bytes, look: look(id) }),
    async end(id: string) {
      ends.get(id)?.done(`seen ${id}`);
      await new Promise(setImmediate);
    },
    async fail(id: string) {
      ends.get(id)?.failed(new Error('broken'));
      await new Promise(setImmediate);
    },
  };
}

describe('the look ahead', () => {
  test('the look ahead analyses an image once, and gives the result to later requests, during the analysis and after it', async () => {
    const { ahead, see, end, analysed } = machine();
    ahead('one');
    const during = see('one');
    await end('one');
    assert.deepEqual([await during, await see('one')], ['seen one', 'seen one']);
    ahead('one');
    assert.deepEqual(analysed, ['one']);
  });

  test('the look ahead lets requests go first, and begins when one of them ends', async () => {
    const { ahead, see, end, analysed, state, looks, look } = machine();
    state.free = false;
    ahead('one');
    ahead('two');
    void see('other');
    void looks.see(undefined, look('nameless'));
    assert.deepEqual(analysed, ['other', 'nameless']);
    state.free = true;
    await end('nameless');
    assert.deepEqual(analysed, ['other', 'nameless', 'one']);
    await end('one');
    assert.deepEqual(analysed, ['other', 'nameless', 'one', 'two']);
  });

  test('the look ahead does not delay a request for an image that still waits for it', async () => {
    const { ahead, see, end, analysed, state } = machine();
    state.free = false;
    ahead('one');
    const result = see('one');
    assert.deepEqual(analysed, ['one']);
    state.free = true;
    await end('one');
    assert.deepEqual([await result, analysed], ['seen one', ['one']]);
  });

  test('the look ahead does not cache a failure, which only requests receive', async () => {
    const { ahead, see, end, fail, analysed } = machine();
    ahead('one');
    await fail('one');
    const again = see('one');
    await end('one');
    assert.deepEqual([await again, analysed], ['seen one', ['one', 'one']]);
    const failing = see('two');
    const failure = assert.rejects(failing, /broken/);
    await fail('two');
    await failure;
  });

  test('the look ahead has a limited queue, in number and in bytes', async () => {
    const { ahead, see, end, analysed, state } = machine();
    state.free = false;
    for (let at = 0; at <= MAX_WAITING; at += 1) ahead(`image ${at}`);
    state.free = true;
    void see('other');
    await end('other');
    for (let at = 0; at <= MAX_WAITING; at += 1) await end(`image ${at}`);
    assert.deepEqual([analysed.length, analysed.at(-1)], [1 + MAX_WAITING, `image ${MAX_WAITING - 1}`]);
    const large = machine();
    large.state.free = false;
    large.ahead('large', MAX_WAITING_BYTES);
    large.ahead('small');
    large.state.free = true;
    void large.see('other');
    await large.end('other');
    await large.end('large');
    assert.deepEqual(large.analysed, ['other', 'large']);
  });

  test('the look ahead removes a result after a while, if there are too many, and when it stops', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { see, analysed, looks } = machine();
    void see('one');
    context.mock.timers.tick(REMEMBERED_MS - 1);
    assert.ok(looks.findingOf(face('one')));
    context.mock.timers.tick(1);
    assert.equal(looks.findingOf(face('one')), undefined);
    for (let at = 0; at <= MAX_REMEMBERED.face; at += 1) void see(`image ${at}`);
    assert.deepEqual([looks.findingOf(face('image 0')), analysed.length], [undefined, MAX_REMEMBERED.face + 2]);
    assert.ok(looks.findingOf(face('image 1')));
    looks.stop();
    assert.equal(looks.findingOf(face('image 1')), undefined);
  });
});
