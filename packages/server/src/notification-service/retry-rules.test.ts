import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import { closedForMs, DEFAULT_RETRY_INTERVALS_MS, nextAttemptAt, retryAfterMs } from './retry-rules.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const failed = (attempts: number, random: number, retryAfter?: string) =>
  nextAttemptAt({
    intervals: [10 * SECOND, MINUTE],
    attemptsBefore: attempts,
    retryAfter,
    now: NOW,
    random: () => random,
  });

describe('the next attempt', () => {
  it('the next attempt comes at most a fifth earlier or later than its interval says', () => {
    assert.equal(failed(0, 0), NOW + 8 * SECOND);
    assert.equal(failed(0, 0.5), NOW + 10 * SECOND);
    assert.equal(failed(0, 1), NOW + 12 * SECOND);
    assert.equal(failed(1, 0.5), NOW + MINUTE);
    assert.equal(failed(2, 0.5), undefined);
  });

  it('the next attempt is made up to nine times in seventy-six hours, unless the webhook says otherwise', () => {
    assert.equal(DEFAULT_RETRY_INTERVALS_MS.length, 9);
    const total = DEFAULT_RETRY_INTERVALS_MS.reduce((sum, each) => sum + each, 0);
    assert.equal(Math.round(total / HOUR), 76);
  });

  it('the next attempt waits until the time that the receiver names, in seconds or as a date', () => {
    assert.equal(failed(0, 0.5, '30'), NOW + 30 * SECOND);
    assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:02:00 GMT', NOW), 2 * MINUTE);
    assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', NOW), 0);
    for (const nonsense of ['', 'soon', '-5', '1e9', undefined]) assert.equal(retryAfterMs(nonsense, NOW), 0);
    assert.equal(retryAfterMs('9999999999', NOW), 24 * HOUR);
  });
});

describe('a circuit breaker', () => {
  it('a circuit breaker opens at the fifth failure for 30 seconds, doubled with each further one, up to 5 minutes', () => {
    assert.deepEqual(
      [0, 4, 5, 6, 7, 8, 9, 1000].map((failures) => closedForMs(failures) / SECOND),
      [0, 0, 30, 60, 120, 240, 300, 300],
    );
  });
});
