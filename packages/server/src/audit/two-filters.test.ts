import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines } from '../../test/harness.ts';
import type { Db, TenantDb } from '../db/db.ts';
import { STRETCH } from '../kernel/find-in-stretches.ts';
import { newId } from '../kernel/ids.ts';
import {
  type AuditFilter,
  type AuditRow,
  addAuditEvents,
  countAuditEvents,
  pageAuditEvents,
} from './audit.repository.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');
/** Of each hundred events, one is the other action. */
const EVENTS = 2 * STRETCH + 100;

onBothEngines('audit events by two filters', (_engine, places) => {
  let db: Db;
  let acme: TenantDb;
  const ids = Array.from({ length: EVENTS }, (_, at) => newId(NOW + at));
  before(async () => {
    db = await openTestDb(await places.create());
    const [tenantId] = await addTestTenants(db, 'acme');
    acme = db.of(tenantId);
    const row = { environment: 'test', actor: 'API Key: one', api_key_id: 'one', operator_id: null } as const;
    const empty = { instance_id: null, item: null, request_id: null, details: null, address: null };
    const rows = ids.map((id, at): AuditRow => {
      const action = at % 100 === 0 ? 'note.added' : 'note.read';
      return { ...row, ...empty, id, at: NOW + at, action };
    });
    await acme.write(async (tx) => addAuditEvents(tx, rows));
  });
  after(() => db.close());

  const added = ids.filter((_, at) => at % 100 === 0);
  const filter: AuditFilter = { environment: 'test', from: '', below: '~', apiKeyId: 'one', action: 'note.added' };
  const page = async (change: Partial<AuditFilter>, direction: 'ASC' | 'DESC', size = 30, offset = 0, on = acme) =>
    (await pageAuditEvents(on, { ...filter, ...change }, { size, offset, direction })).map(({ id }) => id);

  it('audit events by two filters are found in both directions, in pages and in a range, each once', async () => {
    const down = added.toReversed();
    assert.deepEqual(await page({}, 'DESC'), down.slice(0, 30));
    assert.deepEqual(await page({}, 'DESC', 30, 20), down.slice(20, 50));
    assert.deepEqual(await page({}, 'ASC', 1000), added);
    assert.deepEqual(await page({ below: added[10] as string }, 'DESC', 1000), added.slice(0, 10).toReversed());
    assert.deepEqual(await page({ from: added[10] as string }, 'ASC'), added.slice(10, 40));
    assert.equal(await countAuditEvents(acme, filter, 10_000), added.length);
    assert.equal(await countAuditEvents(acme, filter, 7), 7);
    assert.equal(await countAuditEvents(acme, { ...filter, action: 'instance.deleted' }, 10_000), 0);
  });

  it('audit events by two filters are searched in batches, so that one statement does not hold up others', async () => {
    let statements = 0;
    const all: TenantDb['all'] = (...call) => {
      statements += 1;
      return acme.all(...call);
    };
    const counting = Object.assign(Object.create(acme), { all }) as TenantDb;
    assert.deepEqual(await page({ action: 'instance.deleted' }, 'DESC', 10, 0, counting), []);
    assert.ok(statements >= EVENTS / STRETCH, `${statements} statements`);
  });
});
