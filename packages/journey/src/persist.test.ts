import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_RETRIES, NO_MORE_CHALLENGES, PATIENCE_MS, type Patience, pauseFor, persist } from './persist.ts';
import { noAnswer, Problem } from './problem.ts';

function rehearsal() {
  let now = 0;
  const waits: number[] = [];
  const troubles: boolean[] = [];
  const patience: Patience = {
    now: () => now,
    async wait(ms) {
      waits.push(ms);
      now += ms;
    },
    trouble: (away) => void troubles.push(away),
  };
  return { patience, waits, troubles };
}

const refused = (status: number, retryAfterSeconds?: number) =>
  new Problem({ code: 100010, status, message: '', retryAfterSeconds });

it('a lost network is waited for up to a minute, and its loss and return are reported', async () => {
  const { patience, waits, troubles } = rehearsal();
  let tries = 0;
  const done = await persist(async () => {
    tries += 1;
    if (tries < 9) throw noAnswer();
    return 'there';
  }, patience);
  assert.equal(done, 'there');
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 5000, 5000, 5000, 5000]);
  assert.deepEqual(troubles, [...Array(8).fill(true), false]);
});

it('a request fails after a minute without a network', async () => {
  const { patience, waits } = rehearsal();
  await assert.rejects(
    persist(() => Promise.reject(noAnswer()), patience),
    { code: 0, status: 0 },
  );
  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  assert.ok(waited >= PATIENCE_MS && waited < PATIENCE_MS + 10_000, String(waited));
});

it('a busy server is asked three times more, not before its Retry-After', async () => {
  const { patience, waits } = rehearsal();
  await assert.rejects(
    persist(() => Promise.reject(refused(503, 3)), patience),
    { status: 503 },
  );
  assert.equal(waits.length, MAX_RETRIES);
  assert.ok(waits.every((ms) => ms >= 3000));
});

it('a refused request is not retried', async () => {
  const { patience, waits } = rehearsal();
  for (const status of [400, 401, 403, 404, 409, 413, 422, 500]) {
    await assert.rejects(
      persist(() => Promise.reject(refused(status)), patience),
      { status },
    );
  }
  assert.deepEqual(waits, []);
});

it('an attempt that has had all its challenges is not retried', async () => {
  const { patience, waits } = rehearsal();
  const noMore = new Problem({ code: NO_MORE_CHALLENGES, status: 429, message: '' });
  await assert.rejects(
    persist(() => Promise.reject(noMore), patience),
    { code: NO_MORE_CHALLENGES },
  );
  assert.deepEqual(waits, []);
});

it('an aborted request is not retried', async () => {
  const { patience, waits } = rehearsal();
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(
    persist(() => Promise.reject(noAnswer()), patience, { signal: stop.signal }),
    { status: 0 },
  );
  assert.deepEqual(waits, []);
});

it('a long Retry-After is cut short', () => {
  assert.equal(pauseFor(0, 3600), 5000);
  assert.equal(pauseFor(20, undefined), 5000);
});
