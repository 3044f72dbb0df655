import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entrance, LONE_TURN_MS, MAX_OVERFLOW, MAX_WAITING, TURN_MS } from './entrance.ts';

/**
 * A queue of requests with turns, a clock and a processor time that the test controls. Every request costs `costMs`.
 */
function openEntrance(costMs: number) {
  const beginnings: string[] = [];
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
        beginnings.push(caller);
        clock.used += costMs;
      }),
    );
  /** Runs the next turn, and returns the names of the requests that it begins. */
  const turn = () => {
    const from = beginnings.length;
    const work = next;
    next = undefined;
    work?.();
    return beginnings.slice(from).join(' ');
  };
  return { arrive, turn, beginnings, clock, isIdle: () => next === undefined };
}

describe('the queue of requests', () => {
  it('the queue of requests begins those of a single caller at once, as many as fit into a long turn, and refuses none', () => {
    const { arrive, turn, beginnings, isIdle } = openEntrance(0.1);
    const count = 5 * MAX_WAITING;
    assert.ok(arrive('a', count).every(Boolean));
    assert.ok(beginnings.length > 100, `${beginnings.length} at once`);
    const turns: number[] = [];
    while (!isIdle()) turns.push(turn().split(' ').length);
    assert.equal(beginnings.length, count);
    assert.ok(Math.max(...turns) <= LONE_TURN_MS / 0.1 + 1, `${Math.max(...turns)} in a turn`);
    assert.ok(turns.length < count / 100, `${turns.length} turns`);
  });

  it('the queue of requests soon serves another caller, although thousands of costly requests of one came before', () => {
    const { arrive, turn, beginnings } = openEntrance(10);
    arrive('a', 6000);
    const atOnce = beginnings.length;
    assert.ok(atOnce < 200, `${atOnce} at once`);
    turn();
    turn();
    assert.ok(beginnings.length - atOnce < 10, `${beginnings.length - atOnce} in two turns`);
    arrive('b');
    assert.match(`${turn()} ${turn()}`, /\bb\b/);
  });

  it('the queue of requests begins those of a single caller in their order, up to the limit of waiting ones', () => {
    let work: (() => void) | undefined;
    const nextTurn = (next: () => void) => {
      work = next;
    };
    const enter = entrance({ now: () => 0, usedMs: () => 0, nextTurn });
    const beginnings: number[] = [];
    const places = Array.from({ length: MAX_OVERFLOW + 2 * MAX_WAITING }, (_, at) =>
      enter('a', () => beginnings.push(at)),
    );
    const waiting = places.filter(Boolean).length;
    assert.ok(waiting < places.length && waiting > MAX_OVERFLOW, `${waiting}`);
    while (work) {
      const now = work;
      work = undefined;
      now();
    }
    assert.deepEqual(
      beginnings,
      [...beginnings].toSorted((one, other) => one - other),
    );
    assert.equal(beginnings.length, waiting);
  });

  it('the queue of requests serves a new caller in the next turn, although a thousand requests of another wait', () => {
    const { arrive, turn, beginnings } = openEntrance(0.1);
    arrive('b');
    arrive('a', 1000);
    for (let at = 0; at < 30; at += 1) turn();
    const before = beginnings.length;
    assert.ok(before < 1000);
    arrive('b');
    assert.match(turn(), /^(a )?b\b/);
    assert.ok(beginnings.length - before <= 8, `${beginnings.length - before} requests in a turn`);
  });

  it('the queue of requests begins in a turn as many as fit into its time, and at least one', () => {
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

  it('the queue of requests alternates between callers if a turn has room for one request', () => {
    const { arrive, turn } = openEntrance(5);
    arrive('c');
    arrive('a', 200);
    for (let at = 0; at < 40; at += 1) turn();
    arrive('b', 3);
    assert.equal([turn(), turn(), turn(), turn()].filter((name) => name === 'b').length, 2);
  });

  it('the queue of requests has long turns for a single caller again when the others have been gone for a while', () => {
    const { arrive, turn, beginnings, clock, isIdle } = openEntrance(1);
    arrive('b');
    arrive('a', 50);
    while (!isIdle()) turn();
    assert.equal(beginnings.length, 51);
    clock.now += 1001;
    arrive('a', 15);
    assert.equal(beginnings.length, 66);
  });

  it('the queue of requests has long turns for the waiting requests of a single caller when the others are gone, although more arrive all the time', () => {
    const { arrive, turn, clock } = openEntrance(1);
    arrive('b');
    arrive('a', 64);
    for (let at = 0; at < 10; at += 1) {
      turn();
      arrive('a');
    }
    clock.now += 1001;
    assert.ok(turn().split(' ').length > 10);
  });

  it('the queue of requests gives one caller at most half of its places', () => {
    const { arrive } = openEntrance(1);
    arrive('b');
    const places = arrive('a', 2 * MAX_WAITING).filter(Boolean).length;
    assert.ok(Math.abs(places - MAX_WAITING / 2) < 70, `${places}`);
    assert.deepEqual(arrive('b'), [true]);
  });
});
