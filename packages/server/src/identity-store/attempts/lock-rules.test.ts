import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { afterFailure, isLocked, type LockState, lockLimitsOf, NO_FAILURES } from './lock-rules.ts';

const LIMITS = lockLimitsOf({}, 'TOTP');

/** Fails the given number of times, each time as early as the lock allows. */
function guess(limits: typeof LIMITS, times: number): { state: LockState; waits: number[]; at: number } {
  let state = NO_FAILURES;
  let at = 0;
  const waits: number[] = [];
  for (let time = 0; time < times; time++) {
    const { state: next, became } = afterFailure(state, limits, at);
    state = next;
    if (became !== 'LOCKED') continue;
    waits.push((state.locked_until as number) - at);
    at = state.locked_until as number;
  }
  return { state, waits, at };
}

describe('the lock of a modality', () => {
  it('the lock of a modality comes after five failures, for five minutes, and each later one is twice as long, up to 40 minutes', () => {
    assert.equal(isLocked(guess(LIMITS, 4).state, 0), false);
    const { state, waits } = guess(LIMITS, 25);
    assert.deepEqual(
      waits.map((wait) => wait / MINUTE),
      [5, 10, 20, 40, 40],
    );
    assert.deepEqual([state.failed_count, state.lock_count, state.tries], [25, 5, 0]);
    const { state: first } = guess(LIMITS, 5);
    assert.equal(isLocked(first, 5 * MINUTE - 1), true);
    assert.equal(isLocked(first, 5 * MINUTE), false);
  });

  it('the lock of a modality that was set while the clock was ahead ends once the clock is corrected', () => {
    const { state } = afterFailure({ ...NO_FAILURES, tries: 4 }, LIMITS, 365 * 24 * HOUR);
    assert.equal(isLocked(state, 365 * 24 * HOUR), true);
    assert.equal(isLocked(state, 365 * 24 * HOUR - 5 * MINUTE), true, 'clocks of servers may differ a little');
    assert.equal(isLocked(state, 0), false);
    assert.equal(isLocked({ ...state, locked_at: null }, 0), true, 'an earlier release did not store the beginning');
  });

  it('the lock of a modality is permanent only after a hundred failures in a row', () => {
    const almost = guess(LIMITS, 99);
    assert.deepEqual([almost.state.disabled_at, isLocked(almost.state, almost.at)], [null, false]);
    const { state } = guess(LIMITS, 100);
    assert.notEqual(state.disabled_at, null);
    assert.equal(isLocked(state, Number.MAX_SAFE_INTEGER), true);
  });

  it('the lock of a modality follows the settings of the store for the modality, then those for all modalities', () => {
    const lockConfiguration = {
      maxFailedAttempts: 3,
      tempLockDuration: 'PT1M',
      modalities: { FACE: { maxFailedAttempts: 10 } },
    };
    assert.deepEqual(lockLimitsOf({ lockConfiguration }, 'FACE'), {
      maxFailedAttempts: 10,
      tempLockMs: MINUTE,
      maxTempLocks: 3,
    });
    assert.deepEqual(lockLimitsOf({ lockConfiguration }, 'TOTP'), {
      maxFailedAttempts: 3,
      tempLockMs: MINUTE,
      maxTempLocks: 3,
    });
  });

  it('the lock of a modality never lasts longer than a day, nor overflows a number, whatever is configured', () => {
    const grown = guess({ maxFailedAttempts: 1, tempLockMs: HOUR, maxTempLocks: 100 }, 99);
    assert.equal(Math.max(...grown.waits), 24 * HOUR);
    for (const tempLockDuration of ['P30D', 'P21900D', 'P99999999Y', 'PT1S']) {
      for (const maxTempLocks of [0, 100, Number.MAX_SAFE_INTEGER]) {
        const limits = lockLimitsOf({ lockConfiguration: { tempLockDuration, maxTempLocks } }, 'PASSKEY');
        const { waits, at } = guess(limits, 99);
        assert.ok(Number.isSafeInteger(at), tempLockDuration);
        assert.ok(waits.every((wait, index) => wait >= (waits[index - 1] ?? 1)));
      }
    }
    const always: LockState = { ...NO_FAILURES, lock_count: 5000, tries: 4 };
    const { state } = afterFailure(always, { maxFailedAttempts: 5, tempLockMs: 1000, maxTempLocks: 10_000 }, 0);
    assert.equal(state.locked_until, 24 * HOUR);
  });
});
