import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asTenantId } from '../src/kernel/ids.ts';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';
import { addTestDefinition, addTestToken } from './processes.ts';

/** How often a request waits for PostgreSQL: over a network, each time costs more than the statement itself. */
describe('round trips to PostgreSQL', () => {
  const places = testPlaces('postgres');
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  const traffic = () => {
    const pools = grove.app.db.pools?.();
    assert.ok(pools);
    return pools.main;
  };
  /** Of the second call: the first one fills caches. */
  const cost = async (call: () => Promise<{ status: number }>) => {
    assert.ok((await call()).status < 300);
    const before = traffic();
    assert.ok((await call()).status < 300);
    const { roundTrips, statements } = traffic();
    return { roundTrips: roundTrips - before.roundTrips, statements: statements - before.statements };
  };

  it('an API key is read in one', async () => {
    const { body } = await grove.call('/api/arthr/apiKeys?size=1');
    const { roundTrips } = await cost(() => grove.call(`/api/arthr/apiKeys/${body.content[0].id}`));
    assert.equal(roundTrips, 1);
  });

  it('an instance is created in at most three', async () => {
    const acme = grove.app.db.of(asTenantId('acme'));
    const { id } = await addTestToken(acme, await addTestDefinition(acme), { parameters: '{"firstName":"Ada"}' });
    const path = `/api/process-manager/processInstances/create?pt=${id}`;
    const spent = await cost(() => grove.call(path, { method: 'POST', body: '{}' }));
    assert.ok(spent.roundTrips <= 3);
  });
});
