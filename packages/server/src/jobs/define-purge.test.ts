import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApp, testClock, testPlaces } from '../../test/harness.ts';
import { unprepared } from '../db/db.ts';
import { DAY, HOUR, MINUTE, systemClock } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';

describe('the purge of expired rows', () => {
  const places = testPlaces();

  it('the purge of expired rows waits while the clock cannot be trusted, and runs when it can', async (test) => {
    let fault: string | undefined;
    const clock = { ...testClock(), fault: () => fault };
    const grove = await openTestApp(await places.create(), { clock });
    test.after(() => grove.stop());
    const db = grove.app.db.of(asTenantId('acme'));
    const post = async (path: string, body: object) => {
      const answer = await grove.call(path, { method: 'POST', body: JSON.stringify(body) });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    const lists = '/api/watchlist-manager/facewatchlists';
    const { id } = await post(lists, { name: 'banned', type: 'DOCUMENT_NUMBER', expireMembersAfter: 'P30D' });
    await post(`${lists}/${id}/watchlist-members`, { value: 'L898902C3' });
    await post('/api/identity-store/stores', { name: 'people' });
    await post('/api/identity-store/stores/people/users', { extId: 'ada' });
    const counts = async () => {
      const rows = ['audit_events', 'identity_events', 'watchlist_members'].map((table) =>
        db.get<{ count: number }>(unprepared(`SELECT count(*) AS count FROM ${table} WHERE tenant_id = $1`), ['acme']),
      );
      return (await Promise.all(rows)).map((row) => row?.count);
    };
    await grove.app.jobs.tend();
    const before = await counts();
    assert.ok(before.every((count) => (count ?? 0) > 0));
    clock.advance(500 * DAY);
    fault = 'the clock of the server was moved by 720000 minutes since its start';
    await grove.app.jobs.runDue();
    assert.deepEqual(await counts(), before);
    assert.ok(grove.logged().includes('nothing was removed: the clock of the server was moved'));
    fault = undefined;
    clock.advance(HOUR);
    await grove.app.jobs.runDue();
    const after = await counts();
    assert.deepEqual([after[1], after[2]], [0, 0]);
    assert.ok((after[0] ?? 0) < (before[0] ?? 0));
  });

  it('the clock of the system is trusted only while nobody has changed it', (test) => {
    assert.equal(systemClock.fault?.(), undefined);
    const right = Date.now();
    for (const apart of [6 * MINUTE, -6 * MINUTE, 400 * DAY]) {
      const { mock } = test.mock.method(Date, 'now', () => right + apart);
      assert.match(systemClock.fault?.() ?? '', /was moved by \d+ minutes since its start$/);
      mock.restore();
    }
  });
});
