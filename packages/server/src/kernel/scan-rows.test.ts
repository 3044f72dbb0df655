import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_SCANNED, scanRows } from './scan-rows.ts';

describe('a list sorted by a sealed value', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: String(at).padStart(6, '0'), name: `n${(at * 7) % count}` }));
  const scan = (count: number) => {
    const all = rows(count);
    return {
      batch: async (after: string, limit: number) => all.filter(({ id }) => id > after).slice(0, limit),
      matches: () => true,
      fault: { pointer: '/query', message: 'too many' },
    };
  };

  it('a list sorted by a sealed value has pages and a total, and ids break ties', async () => {
    const paging = { orderBy: 'name DESC, id ASC', size: 2, offset: 1 };
    const { ids, total } = await scanRows('a', scan(5), paging);
    assert.deepEqual([ids, total], [['000004', '000001'], 5]);
    const same = { ...scan(5), matches: ({ id }: { id: string }) => id > '000002' };
    assert.equal((await scanRows('a', same, paging)).total, 2);
  });

  it('a list sorted by a sealed value is refused with 100001 if more rows would have to be opened than a request may take', async () => {
    const paging = { orderBy: 'name ASC, id ASC', size: 1, offset: 0 };
    assert.equal((await scanRows('a', scan(MAX_SCANNED), paging)).total, MAX_SCANNED);
    await assert.rejects(scanRows('a', scan(MAX_SCANNED + 1), paging), { code: 100001 });
  });

  it('a list sorted by a sealed value is computed for one caller of a tenant at a time, whatever other tenants do; 100010 if too many wait', async () => {
    const paging = { orderBy: 'id ASC', size: 1, offset: 0 };
    let atWork = 0;
    let most = 0;
    const countingRows = {
      ...scan(0),
      batch: async () => {
        atWork += 1;
        most = Math.max(most, atWork);
        await new Promise((turn) => setImmediate(turn));
        atWork -= 1;
        return [];
      },
    };
    const all = await Promise.allSettled(Array.from({ length: 30 }, () => scanRows('busy', countingRows, paging)));
    const refusals = all.filter((each) => each.status === 'rejected');
    assert.equal(most, 1);
    assert.ok(refusals.length > 0 && refusals.length < 30);
    assert.ok(refusals.every(({ reason }) => reason.code === 100010));
    await Promise.all(['one', 'two'].map((tenant) => scanRows(tenant, countingRows, paging)));
    assert.equal(most, 2);
  });
});
