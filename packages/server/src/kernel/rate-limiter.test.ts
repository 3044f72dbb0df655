import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { testClock } from '../../test/harness.ts';
import { rateLimiter } from './rate-limiter.ts';

const START = 1_700_000_000_000;

function limited(limit: number, windowSeconds = 1) {
  const clock = testClock(START);
  return { clock, limiter: rateLimiter({ limit, windowSeconds, clock }) };
}

/** How many of `tries` are allowed at this time. */
function takeAll(limiter: ReturnType<typeof rateLimiter>, tries: number, caller = 'a'): number {
  let allowed = 0;
  for (let left = tries; left > 0; left--) if (limiter.take(caller).allowed) allowed += 1;
  return allowed;
}

describe('rateLimiter', () => {
  it('rateLimiter allows exactly its limit at once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 60 }), (limit, windowSeconds) => {
        assert.equal(takeAll(limited(limit, windowSeconds).limiter, limit * 2), limit);
      }),
    );
  });

  it('rateLimiter never allows more than a burst of its limit plus the share of the elapsed time', () => {
    const moves = fc.array(fc.tuple(fc.nat(400), fc.nat(8)), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), moves, (limit, todo) => {
        const { clock, limiter } = limited(limit);
        const allowedAt: number[] = [];
        for (const [ms, tries] of todo) {
          clock.advance(ms);
          for (let left = takeAll(limiter, tries); left > 0; left--) allowedAt.push(clock.now());
        }
        allowedAt.forEach((from, first) => {
          for (let last = first; last < allowedAt.length; last++) {
            const paidFor = ((allowedAt[last] as number) - from) / (1000 / limit);
            assert.ok(last - first + 1 <= limit + paidFor + 0.001, `${last - first + 1} in ${paidFor} intervals`);
          }
        });
      }),
    );
  });

  it('rateLimiter allows a caller who keeps to the limit for ever', () => {
    const { clock, limiter } = limited(40);
    for (let second = 0; second < 120; second++) {
      assert.equal(takeAll(limiter, 40), 40, `second ${second}`);
      clock.advance(1000);
    }
  });

  it('rateLimiter allows the whole limit again after a window of silence', () => {
    const { clock, limiter } = limited(10, 60);
    takeAll(limiter, 100);
    clock.advance(60_000);
    assert.equal(takeAll(limiter, 100), 10);
  });

  it('rateLimiter returns how long to wait, and waiting that long is enough', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 120 }), (limit, windowSeconds) => {
        const { clock, limiter } = limited(limit, windowSeconds);
        takeAll(limiter, limit);
        const { allowed, remaining, retryAfterSeconds } = limiter.take('a');
        assert.deepEqual([allowed, remaining], [false, 0]);
        assert.ok(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1 && retryAfterSeconds <= windowSeconds);
        clock.advance(retryAfterSeconds * 1000);
        assert.ok(limiter.take('a').allowed);
      }),
    );
  });

  it('rateLimiter counts down the remaining requests, and allows as many', () => {
    const { limiter } = limited(5);
    const remaining = Array.from({ length: 5 }, () => limiter.take('a').remaining);
    assert.deepEqual(remaining, [4, 3, 2, 1, 0]);
  });

  it('rateLimiter does not make a refused caller wait longer for asking again', () => {
    const { clock, limiter } = limited(10);
    takeAll(limiter, 10_000);
    clock.advance(100);
    assert.equal(takeAll(limiter, 1), 1);
  });

  it('rateLimiter counts callers separately', () => {
    const { limiter } = limited(3);
    takeAll(limiter, 10, 'a');
    assert.equal(takeAll(limiter, 10, 'b'), 3);
  });

  it('rateLimiter refuses nobody for longer than a window when the clock is set back', () => {
    const { clock, limiter } = limited(10);
    takeAll(limiter, 100);
    clock.advance(-3_600_000);
    takeAll(limiter, 1);
    clock.advance(1000);
    assert.equal(takeAll(limiter, 100), 10);
  });

  it('rateLimiter allows a caller who asks without a pause again after the clock is set back', () => {
    const { clock, limiter } = limited(10);
    takeAll(limiter, 100);
    clock.advance(-3_600_000);
    let allowed = 0;
    for (let step = 0; step < 20; step++) {
      allowed += takeAll(limiter, 5);
      clock.advance(100);
    }
    assert.ok(allowed >= 19, `${allowed} in two seconds`);
  });

  it('rateLimiter remembers a limited number of callers, longest those who keep asking', () => {
    const { limiter } = limited(2);
    takeAll(limiter, 10, 'silent');
    takeAll(limiter, 10, 'asking');
    for (let other = 0; other < 100_000; other++) {
      limiter.take(`other ${other}`);
      if (other % 1000 === 0) assert.ok(!limiter.take('asking').allowed);
    }
    assert.ok(!limiter.take('asking').allowed);
    assert.ok(limiter.take('silent').allowed);
  });
});
