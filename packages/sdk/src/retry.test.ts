import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from './exchange.ts';
import { retryDelayMs } from './retry.ts';

const random = () => 0.5;

function answer(status: number, more: { retryAfterSeconds?: number; code?: number } = {}): Outcome {
  const { retryAfterSeconds, code } = more;
  const unread = { headers: new Headers(), bytes: new Uint8Array(), requestId: undefined };
  return { ...unread, status, retryAfterSeconds, problem: { code } };
}

test('a retry backs off exponentially with full jitter, up to 8 seconds', () => {
  const outcome: Outcome = { fault: 'lost', reason: 'ECONNRESET' };
  const delays = [0, 1, 2, 3, 4, 5, 9].map((retries) => retryDelayMs({ outcome, repeatable: true, retries, random }));
  assert.deepEqual(delays, [250, 500, 1000, 2000, 4000, 4000, 4000]);
  assert.equal(retryDelayMs({ outcome, repeatable: true, retries: 3, random: () => 0 }), 0);
});

test('a call that is not repeatable is sent again only when the server surely did not act on it', () => {
  const delay = (outcome: Outcome) => retryDelayMs({ outcome, repeatable: false, retries: 0, random });
  assert.equal(delay({ fault: 'unsent', reason: 'ECONNREFUSED' }), 250);
  assert.equal(delay({ fault: 'lost', reason: 'ECONNRESET' }), undefined);
  assert.equal(delay({ fault: 'timeout', reason: '30000 ms' }), undefined);
  assert.equal(delay(answer(429, { retryAfterSeconds: 1 })), 1250);
  assert.equal(delay(answer(503, { retryAfterSeconds: 1 })), 1250);
  assert.equal(delay(answer(429)), undefined);
  assert.equal(delay(answer(503)), undefined);
  assert.equal(delay(answer(502)), undefined);
});

test('a repeatable call is sent again after faults that pass, and never after other answers', () => {
  const delay = (outcome: Outcome) => retryDelayMs({ outcome, repeatable: true, retries: 0, random });
  for (const status of [429, 502, 503, 504]) assert.equal(delay(answer(status)), 250, String(status));
  for (const status of [200, 201, 307, 400, 401, 403, 404, 409, 422, 500, 501]) {
    assert.equal(delay(answer(status)), undefined, String(status));
  }
});

test('a retry waits for the first request with the same Idempotency-Key when it is still being served (100011)', () => {
  const outcome = answer(409, { code: 100011 });
  assert.equal(retryDelayMs({ outcome, repeatable: true, retries: 0, random }), 250);
});

test('a retry does not wait when Retry-After asks for more than a minute', () => {
  const delay = (retryAfterSeconds: number) =>
    retryDelayMs({ outcome: answer(503, { retryAfterSeconds }), repeatable: true, retries: 0, random });
  assert.equal(delay(60), 60_250);
  assert.equal(delay(61), undefined);
});
