import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TOTP, URI } from 'otpauth';
import { asTenantId } from '../src/kernel/ids.ts';
import { startJourney } from './end-user.ts';
import { testPlaces } from './harness.ts';
import { openTestIdentity, type TestIdentity } from './identity.ts';
import { addTestDefinition, addTestToken } from './processes.ts';

/** How often a request waits for PostgreSQL: over a network, each time costs more than the statement itself. */
describe('round trips to PostgreSQL', () => {
  const places = testPlaces('postgres');
  let grove: TestIdentity;
  before(async () => {
    grove = await openTestIdentity(await places.create());
  });
  after(() => grove.stop());

  const traffic = () => {
    const pools = grove.app.db.pools?.();
    assert.ok(pools);
    return pools.main;
  };
  /** The lowest count of several calls: the first fills caches, and jobs of the start may run at the same time. */
  const costs = async (call: () => Promise<{ status: number }>, ready = async () => {}) => {
    const all: { roundTrips: number; statements: number }[] = [];
    for (let times = 0; times < 4; times++) {
      await ready();
      const { roundTrips, statements } = traffic();
      assert.ok((await call()).status < 300);
      all.push({ roundTrips: traffic().roundTrips - roundTrips, statements: traffic().statements - statements });
    }
    const least = (what: 'roundTrips' | 'statements') => Math.min(...all.map((each) => each[what]));
    return { roundTrips: least('roundTrips'), statements: least('statements') };
  };
  const cost = async (call: () => Promise<{ status: number }>) => (await costs(call)).roundTrips;

  it('an API key is read in one round trip to PostgreSQL', async () => {
    const { body } = await grove.call('/api/arthr/apiKeys?size=1');
    assert.equal(await cost(() => grove.call(`/api/arthr/apiKeys/${body.content[0].id}`)), 1);
  });

  it('an instance is created in at most two round trips to PostgreSQL, with five statements', async () => {
    const acme = grove.app.db.of(asTenantId('acme'));
    const { id } = await addTestToken(acme, await addTestDefinition(acme), { parameters: '{"firstName":"Ada"}' });
    const path = `/api/process-manager/processInstances/create?pt=${id}`;
    const cost = await costs(() => grove.call(path, { method: 'POST', body: '{}' }));
    assert.ok(cost.roundTrips <= 2 && cost.statements <= 5, JSON.stringify(cost));
  });

  it('a journey shows its step in at most two round trips to PostgreSQL, and accepts an image in at most four', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
    const { user } = await startJourney(grove, apiKey, { parameters: { _scenario: 'passed' } });
    const ofConsent = await cost(() => user.call());
    assert.ok(ofConsent <= 2, `${ofConsent}`);
    await user.submit('consent', { accepted: true });
    const ofDocument = await cost(() => user.call());
    assert.ok(ofDocument <= 2, `${ofDocument}`);
    const ofPicture = await cost(() => user.upload('document', 'front', { person: 'ada' }));
    assert.ok(ofPicture <= 4, `${ofPicture}`);
  });

  it('a whole journey of the sandbox needs at most fifty round trips to PostgreSQL and 100 statements, besides polling for its checks', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'whole', environment: 'test' });
    const waits: number[] = [];
    const statements: number[] = [];
    for (let times = 0; times < 3; times++) {
      const before = traffic();
      let looks = 0;
      const countingGrove: TestIdentity = {
        ...grove,
        call(path, init) {
          if (init?.method === undefined) looks += 1;
          return grove.call(path, init);
        },
      };
      const { user } = await startJourney(countingGrove, apiKey, { parameters: { _scenario: 'passed' } });
      assert.equal((await user.finish()).status, 'COMPLETED_ENDED_SUCCESS');
      waits.push(traffic().roundTrips - before.roundTrips - 2 * looks);
      statements.push(traffic().statements - before.statements - 2 * looks);
    }
    assert.ok(Math.min(...waits) <= 50, `${waits}`);
    assert.ok(Math.min(...statements) <= 100, `${statements}`);
  });

  it('a user is authenticated by a one-time code in at most three round trips to PostgreSQL, with twelve statements', async () => {
    const store = await grove.store('Doors');
    await grove.send('POST', `${store}/totpPolicy`, { name: 'app', issuer: 'Example' });
    const { id } = await grove.user(store, { attributes: { name: 'Ada' } });
    const start = await grove.send('POST', `${store}/users/${id}/totps/registrations/app`);
    const app = URI.parse(start.body.uri) as TOTP;
    const send = (what: string) => {
      const code = app.generate({ timestamp: grove.clock.now() });
      return grove.send('POST', `${store}/users/${id}/totps/${what}`, { code });
    };
    await send('registrations/app/complete');
    const nextStep = async () => {
      grove.clock.advance(30_000);
      // The API key is read again after that time.
      await grove.send('GET', `${store}/users/${id}`);
    };
    const cost = await costs(() => send('authentications/app'), nextStep);
    assert.ok(cost.roundTrips <= 3 && cost.statements <= 12, JSON.stringify(cost));
  });
});
