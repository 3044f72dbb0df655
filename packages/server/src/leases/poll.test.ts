import assert from 'node:assert/strict';
import { it } from 'node:test';
import { retryDelayMs } from '../jobs/settle.ts';
import { openPoll } from './poll.ts';

const turn = () => new Promise((done) => setImmediate(done));

it('a poll claims as long as something is due, then waits longer and longer, at most a second, until a signal wakes it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const counts = [3, 2, 0];
  let calls = 0;
  const ask = async () => {
    calls += 1;
    return counts.shift() ?? 0;
  };
  const poll = openPoll(ask, 'jobs', { info: () => undefined, warn: () => undefined, error: () => undefined });
  poll.start();
  await turn();
  assert.equal(calls, 3);
  const expected = [50, 100, 200, 400, 800, 1000, 1000];
  for (const ms of expected) {
    const before: number = calls;
    t.mock.timers.tick(ms - 1);
    await turn();
    assert.equal(calls, before, `before ${ms} ms`);
    t.mock.timers.tick(1);
    await turn();
    assert.equal(calls, before + 1, `after ${ms} ms`);
  }
  poll.ring();
  await turn();
  assert.equal(calls, 4 + expected.length);
  t.mock.timers.tick(50);
  await turn();
  assert.equal(calls, 5 + expected.length);
  await poll.stop();
});

it('a poll logs once that it cannot claim, continues, and logs when it can again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let broken = true;
  const messages: string[] = [];
  const note = (_details: object, text: string) => void messages.push(text);
  const poll = openPoll(
    async () => {
      if (broken) throw new Error('away');
      return 0;
    },
    'jobs',
    { info: note, warn: note, error: note },
  );
  poll.start();
  for (let times = 0; times < 5; times++) {
    await turn();
    t.mock.timers.tick(1000);
  }
  broken = false;
  await turn();
  t.mock.timers.tick(1000);
  await turn();
  assert.deepEqual(messages, ['could not claim jobs', 'claiming jobs works again']);
  await poll.stop();
});

it('the wait before the next attempt of a failed job is random, up to a time that doubles, and never above the longest', () => {
  const backoff = { firstMs: 1000, mostMs: 10_000 };
  const longest = [1, 2, 3, 4, 5, 60].map((attempts) => retryDelayMs(backoff, attempts, 1));
  assert.deepEqual(longest, [1000, 2000, 4000, 8000, 10_000, 10_000]);
  assert.equal(retryDelayMs(backoff, 3, 0), 1);
  assert.equal(retryDelayMs(backoff, 3, 0.25), 1000);
});
