import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entrance, MAX_WAITING, TURN_MS } from './entrance.ts';

/** An entrance whose turns, hour and processor time are ours. Every request costs `costMs`. */
function openEntrance(costMs: number) {
  const begun: string[] = [];
  const clock = { now: 0, used: 0 };
  let next: (() => void) | undefined;
  const enter = entrance({
    now: () => clock.now,
    usedMs: () => clock.used,
    nextTurn: (work) => {
      next = work;
    },
  });
  const arrive = (caller: string, count = 1) =>
    Array.from({ length: count }, () =>
      enter(caller, () => {
        begun.push(caller);
        clock.used += costMs;
      }),
    );
  /** Names of those that the next turn begins. */
  const turn = () => {
    const from = begun.length;
    const work = next;
    next = undefined;
    work?.();
    return begun.slice(from).join(' ');
  };
  return { arrive, turn, begun, clock, isIdle: () => next === undefined };
}

describe('the entrance', () => {
  it('lets everything of a single caller in at once', () => {
    const { arrive, begun, isIdle } = openEntrance(0.1);
    arrive('a', 1000);
    assert.equal(begun.length, 1000);
    assert.ok(isIdle());
  });

  it('serves another caller in the turn after it arrives, although a thousand requests of one wait', () => {
    const { arrive, turn, begun } = openEntrance(0.1);
    arrive('b');
    arrive('a', 1000);
    for (let at = 0; at < 30; at += 1) turn();
    const before = begun.length;
    assert.ok(before < 1000);
    arrive('b');
    assert.match(turn(), /^(a )?b\b/);
    assert.ok(begun.length - before <= 8, `${begun.length - before} requests in a turn`);
  });

  it('begins in a turn as many as fit into its time, and one at least', () => {
    const countAt = (costMs: number) => {
      const { arrive, turn } = openEntrance(costMs);
      arrive('b');
      arrive('a', 1000);
      for (let at = 0; at < 60; at += 1) turn();
      return turn().split(' ').length;
    };
    assert.equal(countAt(TURN_MS / 9.5), 9);
    assert.equal(countAt(TURN_MS / 2.5), 2);
    assert.equal(countAt(TURN_MS * 10), 1);
  });

  it('takes turns between callers where a turn has one place', () => {
    const { arrive, turn } = openEntrance(5);
    arrive('c');
    arrive('a', 200);
    for (let at = 0; at < 40; at += 1) turn();
    arrive('b', 3);
    assert.equal([turn(), turn(), turn(), turn()].filter((name) => name === 'b').length, 2);
  });

  it('lets a single caller in at once again when the others are gone for a while', () => {
    const { arrive, turn, begun, clock, isIdle } = openEntrance(1);
    arrive('b');
    arrive('a', 50);
    while (!isIdle()) turn();
    assert.equal(begun.length, 51);
    clock.now += 1001;
    arrive('a', 50);
    assert.equal(begun.length, 101);
  });

  it('lets all that waits of a single caller in when the others are gone, although more arrives all the time', () => {
    const { arrive, turn, clock } = openEntrance(1);
    arrive('b');
    arrive('a', 64);
    for (let at = 0; at < 10; at += 1) {
      turn();
      arrive('a');
    }
    clock.now += 1001;
    assert.ok(turn().split(' ').length > 50);
    assert.deepEqual([arrive('a', 5).every(Boolean), turn()], [true, '']);
  });

  it('has no place for more than half of those that may wait, for one caller', () => {
    const { arrive } = openEntrance(1);
    arrive('b');
    const places = arrive('a', 2 * MAX_WAITING).filter(Boolean).length;
    assert.ok(Math.abs(places - MAX_WAITING / 2) < 70, `${places}`);
    assert.deepEqual(arrive('b'), [true]);
  });
});
