import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fairQueue, type Share } from './fair-queue.ts';

type Work = { readonly share: Share; readonly name: string };
const work = (tenant: string, sender: string, name = `${tenant}${sender}`): Work => ({
  share: { tenant, sender },
  name,
});

describe('a fair queue', () => {
  it('a fair queue takes turns between tenants, then between the senders of a tenant, and the oldest entry of a sender first', () => {
    const queue = fairQueue<Work>({ now: () => 0 });
    for (const name of ['1', '2', '3']) queue.add(work('a', 'x', name));
    queue.add(work('a', 'y', 'y'));
    queue.add(work('b', 'z', 'b'));
    const order: string[] = [];
    for (let next = queue.take(); next; next = queue.take()) {
      queue.charge(next.share, 1);
      order.push(next.name);
    }
    assert.deepEqual(order, ['1', 'b', 'y', '2', '3']);
  });

  it('a fair queue lets no new sender of a tenant with much use pass a tenant with less', () => {
    const queue = fairQueue<Work>({ now: () => 0 });
    queue.charge({ tenant: 'a', sender: 'x' }, 5);
    queue.charge({ tenant: 'b', sender: 'z' }, 1);
    queue.add(work('b', 'z'));
    queue.add(work('a', 'new'));
    assert.equal(queue.take()?.name, 'bz');
  });

  it('a fair queue puts a sender with much use last, and halves the recorded use over time', () => {
    let now = 0;
    const queue = fairQueue<Work>({ now: () => now, halfLifeMs: 1000 });
    queue.charge({ tenant: 'a', sender: 'x' }, 8);
    queue.charge({ tenant: 'b', sender: 'z' }, 3);
    queue.add(work('a', 'x'));
    queue.add(work('b', 'z'));
    assert.equal(queue.take()?.name, 'bz');
    queue.add(work('b', 'z'));
    now = 10_000;
    queue.charge({ tenant: 'b', sender: 'z' }, 1);
    assert.equal(queue.take()?.name, 'ax');
  });

  it('a fair queue skips entries that may not begin yet', () => {
    const queue = fairQueue<Work>({ now: () => 0 });
    queue.add(work('a', 'x'));
    queue.add(work('b', 'y'));
    assert.equal(queue.take(({ share }) => share.tenant !== 'a')?.name, 'by');
    assert.equal(
      queue.take(() => false),
      undefined,
    );
    assert.equal(queue.waiting.length, 1);
  });
});
