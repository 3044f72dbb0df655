import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertRefused, type RelyingParty, relyingParty } from '../../../test/authenticator/relying-party.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { sql } from '../../db/db.ts';
import { asTenantId } from '../../kernel/ids.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const PASSKEYS = sql('SELECT id FROM passkeys WHERE tenant_id = $1 AND user_id = $2');
const AUDITS = sql('SELECT passkey_id FROM passkey_audits WHERE tenant_id = $1 AND passkey_id = $2');

onBothEngines('passkeys', (_engine, places) => {
  let grove: TestApp;
  let rp: RelyingParty;
  let foreign: RelyingParty[];
  before(async () => {
    grove = await openTestApp(await places.create());
    rp = await relyingParty(grove);
    const test = await grove.app.tenants.createApiKey(grove.tenantId, { name: 'Of tests', environment: 'test' });
    const other = await grove.app.tenants.create({ id: 'other' });
    foreign = [await relyingParty(grove, { apiKey: test.apiKey }), await relyingParty(grove, { apiKey: other.apiKey })];
  });
  after(() => grove.stop());

  it('the signals of passkeys tell a browser which passkeys of a user are accepted, without those disabled or removed', async () => {
    const { userId, device, passkeyId } = await rp.register();
    const second = await rp.register(userId);
    const path = `/users/${userId}/passkeys/relyingParties/${rp.rpId}/signals`;
    const signals = async () => (await rp.call('GET', path)).body;
    const { rpId, userId: handle, allAcceptedCredentialIds } = await signals();
    assert.equal(rpId, rp.rpId);
    assert.equal(handle, device.memory.userHandle);
    // Both have the same time, so their order is not defined.
    assert.deepEqual(allAcceptedCredentialIds.toSorted(), [device.id, second.device.id].toSorted());
    await rp.post(`/users/${userId}/passkeys/${passkeyId}`, { status: 'DISABLED' });
    assert.deepEqual((await signals()).allAcceptedCredentialIds, [second.device.id]);
    await rp.call('DELETE', `/users/${userId}/passkeys/${second.passkeyId}`);
    assert.deepEqual((await signals()).allAcceptedCredentialIds, []);
    assertRefused(await rp.call('GET', path.replace(rp.rpId, 'nobody.example')), 100029, 404);
  });

  it('passkeys of a relying party on a host of the server work for the origins that /.well-known/webauthn names', async () => {
    const host = 'acme.fir.localhost';
    const config = { rpId: host, relatedOrigins: ['https://shop.example', 'https://shop.test'] };
    const ask = (hostName: string) =>
      grove.app.http.inject({ url: '/.well-known/webauthn', headers: { host: hostName } });
    assert.equal((await ask(host)).statusCode, 404);
    assert.equal((await rp.post('/passkeyConfig', config)).status, 201);
    const answer = await ask(`${host}:8080`);
    assert.deepEqual([answer.statusCode, answer.json()], [200, { origins: config.relatedOrigins }]);
    for (const other of ['other.fir.localhost', 'localhost', rp.rpId]) assert.equal((await ask(other)).statusCode, 404);
  });

  it('the passkey configuration is shown with the store, and an update changes only the fields in the request', async () => {
    const config = { rpId: 'example.net', rpName: 'Net', restrictedOrigins: ['https://example.net'] };
    assertRefused(await rp.post('/passkeyConfig', { ...config, unknown: true }), 100001);
    const { lastUpdatedDtm: _made, ...view } = await rp.must('/passkeyConfig', config);
    assert.deepEqual(view, config);
    const after = await rp.must('/passkeyConfig/example.net', { rpName: 'New', rpId: 'example.com' }, 200);
    assert.deepEqual(after, { ...config, rpName: 'New', lastUpdatedDtm: after.lastUpdatedDtm });
    const { body } = await rp.call('GET', '');
    assert.deepEqual(body.configuration.passkeyConfigs['example.net'], after);
  });

  it('the passkey configuration is refused with 100014 for a relying party that has one, and an update with 100029 if there is none', async () => {
    assertRefused(await rp.post('/passkeyConfig', { rpId: rp.rpId }), 100014, 409);
    assertRefused(await rp.post('/passkeyConfig/example.edu', {}), 100029, 404);
  });

  it('the passkey configuration is refused with 100065 if the store has too many relying parties', async () => {
    const full = await relyingParty(grove);
    for (let at = 1; at < 100; at++) await full.must('/passkeyConfig', { rpId: `a${at}.example.org` });
    assertRefused(await full.post('/passkeyConfig', { rpId: 'a100.example.org' }), 100065, 409);
  });

  it('the passkey configuration is refused with the reason why it cannot work, also for an update', async () => {
    const wrong = await rp.post('/passkeyConfig', { rpId: 'com' });
    assertRefused(wrong, 100001);
    assert.match(wrong.body.errors[0].message, /top-level/);
    const change = {
      restrictedOrigins: ['https://example.com'],
      registrationPolicies: { one: { attestation: 'direct' } },
    };
    const { body } = await rp.post(`/passkeyConfig/${rp.rpId}`, change);
    const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer);
    assert.deepEqual(pointers, ['/restrictedOrigins/0', '/attestationRoots']);
    assert.equal((await rp.call('GET', '')).body.configuration.passkeyConfigs[rp.rpId].registrationPolicies, undefined);
  });

  it('the registration audit of a passkey shows by id and by external id the options and the response', async () => {
    const user = (await rp.user({ extId: 'cy' })) as { id: string };
    const { device, passkeyId } = await rp.register(user.id, { backupEligible: true });
    await rp.login(device, user.id);
    const tail = `passkeys/${passkeyId}/registrationAudit`;
    const byId = await rp.call('GET', `/users/${user.id}/${tail}`);
    assert.equal(byId.status, 200);
    assert.deepEqual((await rp.call('GET', `/users/cy/${tail}/ext`)).body, byId.body);
    const { passkey, options, credential, createdDtm, ...rest } = byId.body;
    assert.deepEqual(rest, {
      algorithm: -7,
      aaguid: '00000000-0000-0000-0000-000000000000',
      transports: ['internal', 'hybrid'],
      userVerified: true,
      backupEligible: true,
      backedUp: true,
      signCount: 2,
      attestationFormat: 'none',
      attestationTrust: 'none',
    });
    assert.deepEqual([passkey.id, passkey.createdDtm, credential.id], [passkeyId, createdDtm, device.id]);
    const clientData = JSON.parse(Buffer.from(credential.response.clientDataJSON, 'base64url').toString());
    assert.equal(clientData.challenge, options.challenge);
  });

  it('passkeys are deleted by id and by external id with their audit, and are unknown afterwards: 362', async () => {
    const user = (await rp.user({ extId: 'dee' })) as { id: string };
    const db = grove.app.db.of(asTenantId(grove.tenantId));
    for (const by of [`/users/${user.id}/passkeys/ID`, '/users/dee/passkeys/ID/ext']) {
      const { device, passkeyId } = await rp.register(user.id);
      const { body: open } = await rp.startAuthentication(user.id);
      const { status, body } = await rp.call('DELETE', by.replace('ID', passkeyId));
      assert.deepEqual([status, body.id, body.summaryInfo.passkeys], [200, user.id, []]);
      assert.equal(await db.get(AUDITS, [db.tenantId, passkeyId]), undefined);
      assertRefused(await rp.authenticate(open.sessionId, { credential: device.get(open.publicKey) }), 362);
      assertRefused(await rp.call('DELETE', by.replace('ID', passkeyId)), 100031, 404);
    }
  });

  it('passkeys are deleted together with their user', async () => {
    const { device, userId } = await rp.register();
    const { body: open } = await rp.startAuthentication(userId);
    assert.equal((await rp.call('DELETE', `/users/${userId}`)).status, 204);
    const db = grove.app.db.of(asTenantId(grove.tenantId));
    assert.deepEqual(await db.all(PASSKEYS, [db.tenantId, userId]), []);
    assertRefused(await rp.authenticate(open.sessionId, { credential: device.get(open.publicKey) }), 100035, 404);
    assertRefused(await rp.login(device, undefined), 362);
  });

  it('passkeys that do not exist, or belong to another user, are refused with 100031, and those of an unknown user with 100028', async () => {
    const one = await rp.register();
    const other = await rp.register();
    for (const [path, code] of [
      [`/users/${one.userId}/passkeys/${NOBODY}`, 100031],
      [`/users/${one.userId}/passkeys/${other.passkeyId}`, 100031],
      [`/users/${NOBODY}/passkeys/${one.passkeyId}`, 100028],
    ] as const) {
      assertRefused(await rp.post(path, { status: 'DISABLED' }), code, 404);
      assertRefused(await rp.call('DELETE', path), code, 404);
      assertRefused(await rp.call('GET', `${path}/registrationAudit`), code, 404);
    }
    assert.equal((await rp.login(other.device, other.userId)).status, 200);
  });

  it('passkeys of one tenant and one environment do not exist in another, where the same credential id may be registered', async () => {
    const { device, userId, passkeyId } = await rp.register();
    const { body: open } = await rp.startAuthentication(userId);
    for (const stranger of foreign) {
      assertRefused(await stranger.startAuthentication(userId), 100028, 404);
      assertRefused(await stranger.call('DELETE', `/users/${userId}/passkeys/${passkeyId}`), 100028, 404);
      assertRefused(await stranger.login(device), 362);
      const credential = device.get(open.publicKey);
      assertRefused(await stranger.authenticate(open.sessionId, { credential }), 100035, 404);
      const { body } = await stranger.startRegistration((await stranger.user()).id);
      const copy = device.clone().create(body.publicKey);
      assert.equal((await stranger.completeRegistration(body.sessionId, { credential: copy })).status, 200);
    }
    assert.equal((await rp.authenticate(open.sessionId, { credential: device.get(open.publicKey) })).status, 200);
  });

  it('passkeys of a store that is not active are neither registered nor used: 100082', async () => {
    const closed = await relyingParty(grove);
    const { device, userId } = await closed.register();
    const { body } = await closed.startAuthentication(userId);
    await closed.must('', { status: 'INACTIVE' }, 200);
    assertRefused(await closed.startRegistration(userId), 100082);
    assertRefused(await closed.startAuthentication(userId), 100082);
    assertRefused(await closed.authenticate(body.sessionId, { credential: device.get(body.publicKey) }), 100082);
  });
});
