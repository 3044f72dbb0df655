import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MAX_QUERIES_PER_ENVIRONMENT } from '../src/identity-store/events/event-queries.ts';
import { MAX_POLICIES_PER_KIND } from '../src/identity-store/stores/store-policies.ts';
import { MAX_STORES_PER_ENVIRONMENT } from '../src/identity-store/stores/stores.ts';
import { asTenantId, newId } from '../src/kernel/ids.ts';
import { authenticator } from './authenticator/authenticator.ts';
import { relyingParty } from './authenticator/relying-party.ts';
import { testPlaces } from './harness.ts';
import { openTestIdentity, type TestIdentity } from './identity.ts';
import { uafAuthenticator } from './uaf/authenticator.ts';
import { openRelyingParty, RP } from './uaf/relying-party.ts';

/** The answers of the identity store when a limit is reached, and when a store is inactive. */
describe('an identity store', () => {
  const places = testPlaces();
  let grove: TestIdentity;
  before(async () => {
    grove = await openTestIdentity(await places.create());
  });
  after(() => grove.stop());

  const acme = asTenantId('acme');
  const run = (text: string, rows: (string | number)[][]) =>
    grove.app.db.of(acme).write(async (tx) => {
      for (const row of rows) await tx.run({ text }, [acme, ...row]);
    });
  const codeOf = async (answer: ReturnType<TestIdentity['send']>) => (await answer).body?.code;

  describe('that is inactive', () => {
    it('an identity store that is inactive registers and authenticates nobody with an appkey: 100082', async () => {
      const party = await openRelyingParty(grove, 'Closed');
      const holder = await party.holder();
      const started = await party.start(holder.user, 'registrations');
      await grove.send('POST', party.store, { status: 'INACTIVE' });
      const response = uafAuthenticator().register(started.uafProtocolMessage);
      const sessionData = party.sessionData('x');
      for (const [path, body] of [
        [party.ofUser(holder.user, '/registrations/standard'), {}],
        [party.ofUserExt(holder.user, '/registrations/standard'), {}],
        [`${party.store}/appkeys/registrations`, { sessionId: started.sessionId, response }],
        [`${party.store}/appkeys/authentications`, { sessionData, response }],
      ] as const) {
        assert.equal(await codeOf(grove.send('POST', path, body)), 100082, path);
      }
      for (const path of [`/users/${holder.user.id}/biometrics/authentications/failure`]) {
        assert.equal(await codeOf(grove.send('POST', `${party.store}${path}`, { type: 'FACE' })), 100082);
      }
      const ext = `${party.store}/users/${holder.user.extId}/biometrics/authentications/failure/ext`;
      assert.equal(await codeOf(grove.send('POST', ext, { type: 'FACE' })), 100082);
    });

    it('an identity store that is inactive registers and authenticates nobody with a passkey: 100082', async () => {
      const party = await relyingParty(grove);
      const { id } = await party.user();
      const { body } = await party.startRegistration(id);
      const credential = authenticator({ origin: party.origin }).create(body.publicKey);
      const store = party.base.replace('/api/identity-store', '');
      await grove.send('POST', store, { status: 'INACTIVE' });
      assert.equal((await party.completeRegistration(body.sessionId, { credential })).body.code, 100082);
      const start = { rpId: party.rpId, authPolicyName: 'default' };
      assert.equal((await party.post('/passkeys/authentications', start)).body.code, 100082);
    });
  });

  it('an identity store refuses passkeys of an unknown relying party or policy, and appkeys in an unknown store: 100027, 100029, 100030', async () => {
    const party = await relyingParty(grove);
    const start = { rpId: party.rpId, authPolicyName: 'default' };
    const at = '/passkeys/authentications';
    assert.equal((await party.post(at, { ...start, rpId: 'other.example' })).body.code, 100029);
    assert.equal((await party.post(at, { ...start, authPolicyName: 'other' })).body.code, 100030);
    assert.equal(await codeOf(grove.send('POST', '/stores/Nowhere/passkeyConfig', { rpId: 'example.org' })), 100027);
    const registration = { sessionId: newId(0), response: { uafProtocolMessage: '[]' } };
    assert.equal(await codeOf(grove.send('POST', '/stores/Nowhere/appkeys/registrations', registration)), 100027);
  });

  it('the passkeys of an identity store can be changed by the external id of their user, too', async () => {
    const party = await relyingParty(grove);
    const { id } = (await party.user({ extId: 'somebody' })) as { id: string };
    const { passkeyId } = await party.register(id);
    const changed = await party.post(`/users/somebody/passkeys/${passkeyId}/ext`, { status: 'DISABLED' });
    assert.equal(changed.status, 200, changed.text);
  });

  it('an identity store has at most a hundred TOTP policies: 100065', async () => {
    const store = await grove.store('Full of policies');
    const { id } = (await grove.send('GET', store)).body;
    await run(
      `INSERT INTO relying_parties (tenant_id, store_id, kind, name, config, sealed, created_at, last_updated_at)
        VALUES ($1, $2, 'TOTP', $3, '{}', NULL, 0, 0)`,
      Array.from({ length: MAX_POLICIES_PER_KIND }, (_, at) => [id, `policy ${at}`]),
    );
    assert.equal(await codeOf(grove.send('POST', `${store}/totpPolicy`, { name: 'one more' })), 100065);
    assert.equal(await codeOf(grove.send('POST', `${store}/appkeyConfig/${RP}`, {})), 100029);
  });

  it('identity stores and queries over events are limited in number: 100065 for one more', async () => {
    await run(
      `INSERT INTO event_queries (tenant_id, id, environment, status, filter, size, created_at, expires_at)
        VALUES ($1, $2, 'live', 'SUCCEEDED', '{}', 10, 0, $3)`,
      Array.from({ length: MAX_QUERIES_PER_ENVIRONMENT }, () => [newId(0), Number.MAX_SAFE_INTEGER]),
    );
    assert.equal(await codeOf(grove.send('POST', '/events/queries/start', {})), 100065);
    await run(
      `INSERT INTO identity_stores (tenant_id, id, environment, name, name_folded, status, configuration, created_at,
        last_updated_at) VALUES ($1, $2, 'live', $3, $3, 'ACTIVE', '{}', 0, 0)`,
      Array.from({ length: MAX_STORES_PER_ENVIRONMENT }, (_, at) => [newId(0), `store number ${at}`]),
    );
    assert.equal(await codeOf(grove.send('POST', '/stores', { name: 'one more' })), 100065);
  });
});
