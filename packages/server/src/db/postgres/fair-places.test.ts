import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fairPlaces, type User } from './fair-places.ts';

const open = (count: number, timeoutMs = 60_000) =>
  fairPlaces({ count, timeoutMs, fault: () => new Error('no place in time') });

/** Callers that take places, and the order in which they got them. */
function takers(count: number) {
  const places = open(count);
  const served: string[] = [];
  const releases = new Map<string, () => void>();
  const take = async (name: string, user: User) => {
    releases.set(name, await places.take(user));
    served.push(name);
  };
  const settle = () => new Promise((done) => setImmediate(done));
  return {
    places,
    served,
    async ask(name: string, user: User) {
      void take(name, user);
      await settle();
    },
    async release(name: string) {
      releases.get(name)?.();
      await settle();
    },
    /** Releases places until nobody waits. */
    async releaseAll() {
      do {
        for (const giveBack of releases.values()) giveBack();
        await settle();
      } while (places.waiting > 0);
    },
  };
}

it('a tenant that asks for every place leaves one to other tenants', async () => {
  const { places, served, ask, release, releaseAll } = takers(4);
  for (let at = 0; at < 10; at++) await ask(`a${at}`, { tenant: 'a' });
  assert.deepEqual(served, ['a0', 'a1', 'a2']);
  await ask('b0', { tenant: 'b' });
  assert.deepEqual(served.at(-1), 'b0', 'another tenant waits for nobody');
  assert.equal(places.waiting, 7);
  await ask('b1', { tenant: 'b' });
  await ask('c0', { tenant: 'c' });
  await release('a0');
  assert.equal(served.at(-1), 'c0', 'a free place goes to whoever holds the fewest');
  await release('a1');
  assert.equal(served.at(-1), 'a3', 'among equals, whoever came first');
  await release('a2');
  assert.equal(served.at(-1), 'b1', 'and then the next');
  await releaseAll();
});

it('a test key leaves places to live callers of its tenant, and the lines of a tenant take turns', async () => {
  const { served, ask, release, releaseAll } = takers(5);
  for (let at = 0; at < 10; at++) await ask(`t${at}`, { tenant: 'a', line: 'test' });
  assert.deepEqual(served, ['t0', 't1', 't2']);
  await ask('l0', { tenant: 'a', line: 'live' });
  await ask('l1', { tenant: 'a', line: 'live' });
  assert.deepEqual(served.slice(3), ['l0'], 'the last place is for other tenants');
  await release('t0');
  assert.equal(served.at(-1), 'l1', 'the line that holds the fewest comes first');
  await releaseAll();
});

it('work of no tenant may take every place, and a small number of places is not divided', async () => {
  const system = takers(4);
  for (let at = 0; at < 4; at++) await system.ask(`${at}`, { tenant: '' });
  assert.equal(system.served.length, 4);
  const few = takers(2);
  for (let at = 0; at < 2; at++) await few.ask(`${at}`, { tenant: 'a', line: 'test' });
  assert.equal(few.served.length, 2);
});

it('a place that is released twice is free once; a caller that waits too long is refused and takes no place', async () => {
  const places = open(1, 1);
  const release = await places.take({ tenant: 'a' });
  await assert.rejects(places.take({ tenant: 'b' }), /no place in time/);
  assert.equal(places.waiting, 0);
  release();
  release();
  const again = await places.take({ tenant: 'a' });
  await assert.rejects(places.take({ tenant: 'b' }), /no place in time/);
  again();
});
