import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testClock } from '../../../test/harness.ts';
import { FAILURES_UNTIL_OPEN, OPEN_MS, openBreaker } from './breaker.ts';

describe('the breaker of providers', () => {
  it('the breaker of providers opens after a number of failures in a row, allows one attempt after a while, and closes with the first success', () => {
    const clock = testClock(0);
    const breaker = openBreaker(clock);
    for (let at = 0; at < FAILURES_UNTIL_OPEN; at++) {
      assert.ok(breaker.mayTry('a'));
      breaker.note('a', true);
    }
    assert.ok(!breaker.mayTry('a'));
    assert.ok(breaker.mayTry('b'));
    clock.advance(OPEN_MS);
    assert.ok(breaker.mayTry('a'));
    assert.ok(!breaker.mayTry('a'));
    breaker.note('a', false);
    assert.ok(breaker.mayTry('a'));
  });

  it('the breaker of providers stays closed if successes come between the failures', () => {
    const breaker = openBreaker(testClock(0));
    for (let at = 0; at < 3 * FAILURES_UNTIL_OPEN; at++) {
      breaker.note('a', at % FAILURES_UNTIL_OPEN !== 0);
      assert.ok(breaker.mayTry('a'));
    }
  });
});
