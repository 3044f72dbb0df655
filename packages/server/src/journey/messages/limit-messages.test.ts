import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { onBothEngines } from '../../../test/harness.ts';
import type { Db, TenantDb } from '../../db/db.ts';
import { FEWEST_OF_NETWORK_A_DAY, limitMessages } from './limit-messages.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');
const PER_DAY = 30;

onBothEngines('the limits of messages', (_engine, places) => {
  let db: Db;
  let acme: TenantDb;
  let count = 0;
  before(async () => {
    db = await openTestDb(await places.create());
    const [tenantId] = await addTestTenants(db, 'acme');
    acme = db.of(tenantId);
  });
  after(() => db.close());

  const send = (network: string | undefined) => {
    count += 1;
    const to = {
      environment: 'live',
      instanceId: `instance ${count}`,
      address: `somebody${count}@example.com`,
    } as const;
    const key = createSecretKey(Buffer.alloc(32, 1));
    return acme.write((tx) => limitMessages(tx, { ...to, network, key, perDay: PER_DAY, now: NOW }));
  };

  it('100161: end users of one network cannot use up the daily messages of the tenant', async () => {
    for (let message = 0; message < FEWEST_OF_NETWORK_A_DAY; message += 1) await send('203.0.113.7');
    await assert.rejects(send('203.0.113.7'), { code: 100161 });
    await send('203.0.113.8');
    // A message of a caller with the permission has no network.
    for (let message = FEWEST_OF_NETWORK_A_DAY + 1; message < PER_DAY; message += 1) await send(undefined);
    await assert.rejects(send(undefined), { code: 100161 });
  });
});
