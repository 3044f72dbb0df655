import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { onBothEngines } from '../../../test/harness.ts';
import { type Db, type TenantDb, unprepared } from '../../db/db.ts';
import { DAY } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { purgeReceipts } from './purge-receipts.ts';

const NOW = 1_800_000_000_000;
const DAYS = 30;
const ADD_TOMBSTONE = unprepared(`INSERT INTO instance_tombstones
  (tenant_id, instance_id, definition_id, environment, created_at, deleted_at, deleted_by)
  VALUES ($1, $2, 'd', 'live', $3, $4, 'Test')`);
const ADD_ERASURE = unprepared(`INSERT INTO erasures (tenant_id, instance_id, environment, definition_id, state, reason,
  created_at, deleted_at, deleted_by, rows_removed, blobs_removed, blob_keys)
  VALUES ($1, $2, 'live', 'd', $5, 'REQUEST', $3, $4, 'Test', 1, 0, '[]')`);

onBothEngines('the receipt of a deleted instance', (_engine, places) => {
  let db: Db;
  let acme: TenantDb;
  let other: TenantDb;
  before(async () => {
    db = await openTestDb(await places.create());
    [acme, other] = (await addTestTenants(db, 'acme', 'other')).map((id) => db.of(id)) as [TenantDb, TenantDb];
  });
  after(() => db.close());

  const add = (tenant: TenantDb, madeDaysAgo: number, deletedDaysAgo: number, state = 'ERASED') =>
    tenant.write(async (tx) => {
      const [createdAt, deleted] = [NOW - madeDaysAgo * DAY, NOW - deletedDaysAgo * DAY];
      const id = newId(createdAt);
      tx.send(ADD_TOMBSTONE, [tx.tenantId, id, createdAt, deleted]);
      tx.send(ADD_ERASURE, [tx.tenantId, id, createdAt, deleted, state]);
      return id;
    });
  const idsIn = async (tenant: TenantDb, table: string) => {
    const rows = await tenant.all<{ id: string }>(
      unprepared(`SELECT instance_id AS id FROM ${table} WHERE tenant_id = $1 ORDER BY instance_id`),
      [tenant.tenantId],
    );
    return rows.map(({ id }) => id);
  };

  it('the tombstone of a deleted instance is removed together with its receipt when its time has passed, and no other', async () => {
    const late = DAYS + 10;
    for (let number = 0; number < 3; number++) await add(acme, late + number, late);
    const unfinished = await add(acme, late, late, 'ERASING');
    const lately = await add(acme, late, 1);
    const fresh = await add(acme, 2, 1);
    const ofOther = await add(other, late, late);
    assert.equal(await purgeReceipts(acme, { now: NOW, days: DAYS }), 3 + 1 + 3);
    assert.deepEqual(await idsIn(acme, 'instance_tombstones'), [lately, fresh].sort());
    assert.deepEqual(await idsIn(acme, 'erasures'), [unfinished, lately, fresh].sort());
    assert.deepEqual(await idsIn(other, 'erasures'), [ofOther]);
    assert.equal(await purgeReceipts(acme, { now: NOW, days: DAYS }), 0);
  });
});
