import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { onBothEngines } from '../../../test/harness.ts';
import { STRETCH } from '../../kernel/find-in-stretches.ts';
import { newId } from '../../kernel/ids.ts';
import { type PageQuery, paging } from '../../kernel/pages.ts';
import {
  addDelivery,
  pageDeliveries,
  pageFilteredDeliveries,
} from '../../notification-service/deliveries.repository.ts';
import type { Db, TenantDb } from '../db.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');
/** One of each hundred deliveries is about the instance. */
const ROWS = 2 * STRETCH + 100;

onBothEngines('a list whose filters have no index', (_engine, places) => {
  let db: Db;
  let acme: TenantDb;
  const ids = Array.from({ length: ROWS }, (_, at) => newId(NOW + at));
  const ofOne = ids.filter((_, at) => at % 100 === 0);
  before(async () => {
    db = await openTestDb(await places.create());
    const [tenantId, other] = await addTestTenants(db, 'acme', 'other');
    acme = db.of(tenantId);
    const row = { webhook_id: 'w', event: 'instance.started', sequence: null, payload: '{}', created_at: NOW };
    await acme.write(async (tx) => {
      for (const [at, id] of ids.entries()) {
        await addDelivery(tx, { ...row, id, instance_id: at % 100 === 0 ? 'one' : 'two' });
      }
    });
    await db.of(other).write((tx) => addDelivery(tx, { ...row, id: newId(NOW), instance_id: 'one' }));
  });
  after(() => db.close());

  const page = async (query: PageQuery, instance_id = 'one', on: TenantDb = acme) => {
    const filter = { webhook_id: 'w', instance_id };
    const { rows, total } = await pageFilteredDeliveries(on, 'a line', filter, paging(query, { id: 'id' }));
    return { ids: rows.map(({ id }) => id), total };
  };

  it('a list whose filters have no index has pages in both directions and a total, and continues after an id', async () => {
    const total = ofOne.length;
    const newestFirst = ofOne.toReversed();
    assert.deepEqual(await page({ size: 30, sort: ['id,desc'] }), { ids: newestFirst.slice(0, 30), total });
    assert.deepEqual(await page({ size: 10, page: 2, sort: ['id,desc'] }), { ids: newestFirst.slice(20, 30), total });
    assert.deepEqual(await page({ size: 1000, sort: ['id'] }), { ids: ofOne, total });
    const after = { size: 5, sort: ['id'], after: ofOne[20] as string };
    assert.deepEqual(await page(after), { ids: ofOne.slice(21, 26), total });
    const before = { size: 5, sort: ['id,desc'], after: ofOne[20] as string };
    assert.deepEqual(await page(before), { ids: ofOne.slice(15, 20).toReversed(), total });
  });

  const counting = () => {
    const statements: string[] = [];
    const all: TenantDb['all'] = (...call) => {
      statements.push(call[0].text);
      return acme.all(...call);
    };
    const get: TenantDb['get'] = (...call) => {
      statements.push(call[0].text);
      return acme.get(...call);
    };
    return { on: Object.assign(Object.create(acme), { all, get }) as TenantDb, statements };
  };

  it('a list whose filters have no index is read in batches, so that one statement does not hold up others', async () => {
    const { on, statements } = counting();
    assert.deepEqual(await page({}, 'none', on), { ids: [], total: 0 });
    assert.ok(statements.length >= ROWS / STRETCH, `${statements.length} statements`);
  });

  it('a list without filters is counted in batches, exactly', async () => {
    const { on, statements } = counting();
    const everyOne = await pageDeliveries(on, { webhook_id: 'w' }, paging({ size: 2, sort: ['id'] }, { id: 'id' }));
    assert.deepEqual([everyOne.rows.map(({ id }) => id), everyOne.total], [ids.slice(0, 2), ROWS]);
    const edges = Math.floor(ROWS / STRETCH) + 1;
    assert.equal(statements.length, 1 + edges + 1, 'a page, the edges of the stretches, and a count behind the last');
    assert.equal((await pageDeliveries(acme, { webhook_id: 'none' }, paging({}, { id: 'id' }))).total, 0);
  });
});
