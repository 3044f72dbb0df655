import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { type AuthenticatorOptions, ownRequest, uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import {
  ANY_POLICY,
  APP_ID,
  CONFIG,
  openRelyingParty,
  ownChallenge,
  type RelyingParty,
  RP,
  refuses,
  singleShot,
} from '../../../test/uaf/relying-party.ts';
import { sql } from '../../db/db.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { KEY, SIGN } from './uaf/registry.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const TOKEN = sql('SELECT push_token FROM appkey_devices WHERE tenant_id = $1 AND user_id = $2');
const ADD_KEYS = sql(`INSERT INTO appkeys (tenant_id, id, store_id, user_id, rp_id, key_id, device_id, aaid, key_type,
  status, sign_algorithm, public_key, sign_count, attestation, created_at)
  SELECT tenant_id, id || $2, store_id, user_id, rp_id, key_id || $2, device_id, aaid, key_type, status,
    sign_algorithm, public_key, sign_count, attestation, created_at FROM appkeys WHERE user_id = $1 AND key_id = $3`);

onBothEngines('appkeys', (_engine, places) => {
  let grove: TestIdentity;
  let party: RelyingParty;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    party = await openRelyingParty(grove, 'Bank');
  });
  after(() => grove.stop());

  const send: TestIdentity['send'] = (...call) => grove.send(...call);
  const completeAt = () => `${party.store}/appkeys/registrations`;

  it('appkeys may have a key id of 2,048 bytes and a key on secp256k1: they are registered, used, listed, changed and removed', async () => {
    for (const [signAlgorithm, keyIdBytes] of [
      [SIGN.SECP256K1_ECDSA_SHA256_RAW, 2048],
      [SIGN.SECP256K1_ECDSA_SHA256_DER, 129],
    ] as const) {
      const one = await party.holder({ signAlgorithm, keyIdBytes }, { deviceId: 'phone' });
      const { keyId } = one.authenticator;
      const proven = await party.authenticate(one);
      assert.equal(proven.status, 200, proven.text);
      assert.deepEqual(proven.body.user.summaryInfo.devices[0].keyIds, [keyId]);
      const { body } = await send('GET', party.ofUser(one.user, '/keys'));
      assert.equal(body.content[0].keyId, keyId);
      const path = party.ofUser(one.user, `/keys/${keyId}`);
      assert.equal((await send('POST', path, { status: 'DISABLED' })).body.keyId, keyId);
      assert.equal((await party.authenticate(one).catch(() => undefined))?.status, undefined);
      const removed = await send('DELETE', party.ofUser(one.user, `/registrations/keyIds/${keyId}`));
      assert.equal(removed.status, 200, removed.text);
    }
    const again = await party.holder({ keyIdBytes: 2048 }, { deviceId: 'phone' });
    const twice = await party.register(again.user, again.authenticator, { deviceId: 'phone' });
    assert.equal(twice.body.code, 100110, 'a long key id is one of a kind');
    assert.equal((await party.register(again.user, uafAuthenticator({ keyIdBytes: 2049 }))).body.code, 100115);
  });

  it('appkeys are registered and used through each address of the user, and the user lists the device', async () => {
    const user = await party.user();
    for (const [at, address] of [party.ofUser(user, ''), party.ofUserExt(user, '')].entries()) {
      const tail = address.endsWith('/ext') ? '/ext' : '';
      const base = tail ? address.slice(0, -'/ext'.length) : address;
      const authenticator = uafAuthenticator();
      const started = await send('POST', `${base}/registrations/standard${tail}`, {});
      assert.equal(started.status, 201, started.text);
      const [request] = JSON.parse(started.body.uafProtocolMessage);
      assert.deepEqual(request.header, { upv: { major: 1, minor: 1 }, op: 'Reg', appID: APP_ID });
      assert.equal(request.username, user.extId);
      const response = authenticator.register(started.body.uafProtocolMessage);
      const body = { sessionId: started.body.sessionId, response, deviceId: `phone-${at}` };
      const done = await send('POST', completeAt(), body);
      assert.equal(done.status, 200, done.text);
      const { id, createdDtm, ...appkey } = done.body.appkey;
      assert.deepEqual(appkey, {
        keyId: authenticator.keyId,
        rpId: RP,
        deviceId: `phone-${at}`,
        aaid: '4E4E#4001',
        keyType: 'DEVICE',
        status: 'ACTIVE',
        attestation: 'SURROGATE',
        signCount: 0,
      });
      const startAnswer = await send('POST', `${base}/authentications/standard${tail}`, {});
      assert.equal(startAnswer.status, 201, startAnswer.text);
      const answer = { response: authenticator.authenticate(startAnswer.body.uafProtocolMessage) };
      const proven = await party.complete(startAnswer.body.sessionId, answer);
      assert.equal(proven.status, 200, proven.text);
      assert.match(proven.body.authenticationId, /^[0-9A-Z]{26}$/);
      assert.equal(proven.body.user.id, user.id);
      assert.equal(proven.body.user.summaryInfo.devices.length, at + 1);
      assert.deepEqual(proven.body.user.summaryInfo.devices[at], {
        deviceId: `phone-${at}`,
        rpId: RP,
        keyIds: [authenticator.keyId],
        preferred: false,
      });
      assert.deepEqual(proven.body.user.summaryInfo.appkeys[at], {
        keyId: authenticator.keyId,
        rpId: RP,
        deviceId: `phone-${at}`,
      });
    }
    const events = (await grove.events('Bank')).filter(({ userId }) => userId === user.id).map(({ type }) => type);
    // All have the same time, so their order is not defined.
    assert.deepEqual(events.toSorted(), [
      'identity.authenticationSucceeded',
      'identity.authenticationSucceeded',
      'identity.authenticatorRegistered',
      'identity.authenticatorRegistered',
      'identity.userCreated',
    ]);
  });

  const ways: [string, AuthenticatorOptions][] = [
    ['ECDSA raw, key raw', { signAlgorithm: SIGN.SECP256R1_ECDSA_SHA256_RAW }],
    ['ECDSA DER, key DER', { signAlgorithm: SIGN.SECP256R1_ECDSA_SHA256_DER, keyAlgorithm: KEY.ECC_X962_DER }],
    ['RSA PSS raw, key DER', { signAlgorithm: SIGN.RSASSA_PSS_SHA256_RAW }],
    ['RSA PSS DER, key raw', { signAlgorithm: SIGN.RSASSA_PSS_SHA256_DER, keyAlgorithm: KEY.RSA_2048_RAW }],
    ['RSA PKCS #1 raw', { signAlgorithm: SIGN.RSA_EMSA_PKCS1_SHA256_RAW }],
    ['RSA PKCS #1 DER', { signAlgorithm: SIGN.RSA_EMSA_PKCS1_SHA256_DER }],
  ];
  for (const [name, options] of ways) {
    it(`appkeys work with ${name}`, async () => {
      const holder = await party.holder(options);
      for (const _ of [1, 2]) assert.equal((await party.authenticate(holder)).status, 200);
      refuses(await party.authenticate(holder, { signature: (signature) => flipped(signature) }), 100112);
    });
  }

  it('appkeys work without a session of the server: with challenges of the caller, with and without a user name', async () => {
    const user = await party.user();
    const authenticator = uafAuthenticator();
    const challenge = ownChallenge();
    const response = authenticator.register(ownRequest('Reg', challenge, APP_ID));
    const sessionData = { ...party.sessionData(challenge), username: user.extId };
    const done = await send('POST', completeAt(), { sessionData, response });
    assert.equal(done.status, 200, done.text);
    const holder = { user, authenticator };
    for (const more of [{ username: user.extId }, {}]) {
      const proven = await party.authenticateOwn(holder, ownChallenge(), more);
      assert.deepEqual([proven.status, proven.body.user?.id], [200, user.id], proven.text);
    }
    const timed = await party.authenticateOwn(holder, singleShot(grove.clock.now()));
    assert.equal(timed.status, 200, timed.text);
    const nobody = await party.authenticateOwn(holder, ownChallenge(), { username: 'nobody' });
    assert.equal(nobody.body.code, 100028);
    const again = await send('POST', completeAt(), { sessionData, response });
    assert.deepEqual([again.status, again.body.code], [404, 100035]);
  });

  it('a registration or authentication with an appkey is refused at the start for an unknown policy with 100030, and for an unknown relying party with 100029, at every address', async () => {
    const { user } = await party.holder();
    for (const kind of ['registrations', 'authentications']) {
      for (const address of [party.ofUser(user, `/${kind}/other`), party.ofUserExt(user, `/${kind}/other`)]) {
        assert.equal((await send('POST', address, {})).body.code, 100030);
        assert.equal((await send('POST', address.replace(RP, 'no.example'), {})).body.code, 100029);
        assert.equal((await send('POST', address.replace('/Bank/', '/Nowhere/'), {})).body.code, 100027);
      }
    }
    assert.equal((await send('POST', party.ofUser({ id: NOBODY }, '/registrations/standard'), {})).body.code, 100028);
  });

  it('an authentication with an appkey is refused at the start with 100032 if the user has no usable key', async () => {
    const user = await party.user();
    const answer = await send('POST', party.ofUser(user, '/authentications/standard'), {});
    assert.deepEqual([answer.status, answer.body.code], [404, 100032]);
    const { user: other, authenticator } = await party.holder();
    await send('POST', party.ofUser(other, `/keys/${authenticator.keyId}`), { status: 'DISABLED' });
    assert.equal((await send('POST', party.ofUser(other, '/authentications/standard'), {})).body.code, 100032);
  });

  it('the requests of appkeys list the keys that may answer, and the keys that are registered already', async () => {
    const { user, authenticator } = await party.holder();
    const [message] = JSON.parse((await party.start(user, 'authentications')).uafProtocolMessage);
    const pair = { aaid: ['4E4E#4001'], keyIDs: [authenticator.keyId] };
    assert.deepEqual(message.policy, { accepted: [[pair]] });
    const [again] = JSON.parse((await party.start(user, 'registrations')).uafProtocolMessage);
    assert.deepEqual(again.policy, { ...ANY_POLICY, disallowed: [pair] });
  });

  it('a second appkey with the same key id is refused with 100110, for any user', async () => {
    const { authenticator } = await party.holder();
    const twice = await party.register(await party.user(), authenticator);
    assert.deepEqual([twice.status, twice.body.code], [409, 100110], twice.text);
  });

  it('a user with a hundred appkeys can neither start nor complete another registration: 100116', async () => {
    const { user, authenticator } = await party.holder();
    const acme = grove.app.db.of(asTenantId('acme'));
    const open = await party.start(user, 'registrations');
    await acme.write(async (tx) => {
      for (let at = 1; at < 100; at++) await tx.run(ADD_KEYS, [user.id, `-${at}`, authenticator.keyId]);
    });
    const started = await send('POST', party.ofUser(user, '/registrations/standard'), {});
    assert.deepEqual([started.status, started.body.code], [409, 100116]);
    const response = uafAuthenticator().register(open.uafProtocolMessage);
    const done = await send('POST', completeAt(), { sessionId: open.sessionId, response });
    assert.equal(done.body.code, 100116);
  });

  it('appkeys are invisible to other tenants and in the other environment', async () => {
    const { user, authenticator } = await party.holder();
    const open = await party.start(user, 'authentications');
    const response = authenticator.authenticate(open.uafProtocolMessage);
    for (const token of [grove.ofOther, grove.inTest]) {
      const calls: ['GET' | 'POST' | 'DELETE', string, object?][] = [
        ['POST', `${party.store}/appkeyConfig/${RP}`, {}],
        ['POST', party.ofUser(user, '/registrations/standard'), {}],
        ['POST', party.ofUser(user, '/authentications/standard'), {}],
        ['POST', `${party.store}/appkeys/authentications/sessions/${open.sessionId}`, { response }],
        ['GET', party.ofUser(user, '/keys')],
        ['POST', party.ofUser(user, '/deregistrations'), {}],
        ['DELETE', party.ofUser(user, `/registrations/keyIds/${authenticator.keyId}`)],
        ['DELETE', party.ofUser(user, '/preferredDevices')],
      ];
      for (const [method, path, body] of calls) {
        assert.equal((await send(method, path, body, token)).body.code, 100027, path);
      }
    }
    assert.equal((await party.complete(open.sessionId, { response })).status, 200);
  });

  it('an appkey session of another store, of another kind or that has expired is refused with 100035 and stays unchanged', async () => {
    const elsewhere = await openRelyingParty(grove, 'Elsewhere');
    const holder = await party.holder();
    const { sessionId, uafProtocolMessage } = await party.start(holder.user, 'authentications');
    const response = holder.authenticator.authenticate(uafProtocolMessage);
    assert.equal((await elsewhere.complete(sessionId, { response })).body.code, 100035);
    assert.equal((await send('POST', completeAt(), { sessionId, response })).body.code, 100035);
    const registering = await party.start(holder.user, 'registrations');
    assert.equal((await party.complete(registering.sessionId, { response })).body.code, 100035);
    const passkeys = `${party.store}/passkeys/authentications/sessions/${sessionId}`;
    assert.equal((await send('POST', passkeys, { error: { name: 'NotAllowedError' } })).body.code, 100035);
    assert.equal((await party.complete(sessionId, { response })).status, 200);
    assert.equal((await party.complete(sessionId, { response })).body.code, 100035);
    const late = await party.start(holder.user, 'authentications');
    grove.clock.advance(5 * MINUTE);
    assert.equal((await party.complete(late.sessionId, { response })).body.code, 100035);
  });

  it('appkeys are neither registered nor used in a store that is not active: 100082', async () => {
    const closed = await openRelyingParty(grove, 'Closed');
    const holder = await closed.holder();
    const open = await closed.start(holder.user, 'authentications');
    await send('POST', closed.store, { status: 'INACTIVE' });
    const response = holder.authenticator.authenticate(open.uafProtocolMessage);
    assert.equal((await closed.complete(open.sessionId, { response })).body.code, 100082);
    assert.equal((await send('POST', closed.ofUser(holder.user, '/authentications/standard'), {})).body.code, 100082);
  });

  it('appkeys are listed, disabled, enabled and deleted one by one: 100032 for one that does not exist or belongs to another user', async () => {
    const { user, authenticator } = await party.holder({}, { deviceId: 'a' });
    const second = uafAuthenticator();
    await party.register(user, second, { deviceId: 'b' });
    const { user: stranger } = await party.holder();
    for (const address of [party.ofUser(user, '/keys'), party.ofUserExt(user, '/keys')]) {
      const { body } = await send('GET', `${address}?sort=deviceId,desc`);
      assert.deepEqual(
        [body.totalElements, body.content.map((key: { deviceId: string }) => key.deviceId)],
        [2, ['b', 'a']],
      );
    }
    for (const owner of [stranger, user]) {
      for (const keyId of owner === user ? ['none'] : [authenticator.keyId]) {
        const remove = party.ofUser(owner, `/registrations/keyIds/${keyId}`);
        assert.equal((await send('DELETE', remove)).body.code, 100032);
        assert.equal(
          (await send('POST', party.ofUserExt(owner, `/keys/${keyId}`), { status: 'DISABLED' })).body.code,
          100032,
        );
      }
    }
    const disabled = await send('POST', party.ofUserExt(user, `/keys/${second.keyId}`), { status: 'DISABLED' });
    assert.deepEqual([disabled.status, disabled.body.status], [200, 'DISABLED']);
    await send('POST', party.ofUser(user, `/keys/${second.keyId}`), { status: 'ACTIVE' });
    assert.equal((await party.authenticate({ user, authenticator: second })).status, 200);
    const left = await send('DELETE', party.ofUser(user, `/registrations/keyIds/${authenticator.keyId}`));
    assert.deepEqual([left.status, left.body.summaryInfo.devices.length], [200, 1], left.text);
    assert.equal(left.body.summaryInfo.devices[0].deviceId, 'b');
  });

  it('all appkeys of a relying party are deleted through each address, with their devices', async () => {
    for (const by of ['ofUser', 'ofUserExt'] as const) {
      const { user } = await party.holder();
      await party.register(user, uafAuthenticator());
      const left = await send('POST', party[by](user, '/deregistrations'));
      assert.deepEqual([left.status, left.body.summaryInfo.devices], [200, []], left.text);
      assert.deepEqual((await send('GET', party.ofUser(user, '/keys'))).body.totalElements, 0);
    }
  });

  it('push tokens are sealed, and a new one replaces the old; an unknown device is refused with 100033', async () => {
    const { user } = await party.holder({}, { deviceId: 'phone', pushToken: 'token-of-the-phone' });
    const acme = grove.app.db.of(asTenantId('acme'));
    const stored = async () => (await acme.get<{ push_token: Uint8Array }>(TOKEN, ['acme', user.id]))?.push_token;
    const before = await stored();
    assert.ok(before && !Buffer.from(before).includes('token-of-the-phone'));
    for (const [at, address] of [
      party.ofUser(user, '/devices/phone'),
      party.ofUserExt(user, '/devices/phone'),
    ].entries()) {
      const changed = await send('POST', address, { pushToken: `token-${at}` });
      assert.equal(changed.status, 200, changed.text);
      assert.notDeepEqual(await stored(), before);
    }
    assert.equal((await send('POST', party.ofUser(user, '/devices/none'), { pushToken: 'x' })).body.code, 100033);
  });

  it('a user has one preferred device: set by a registration or by name, cleared and deleted through both addresses', async () => {
    for (const by of ['ofUser', 'ofUserExt'] as const) {
      const { user } = await party.holder({}, { deviceId: 'one', preferred: true });
      await party.register(user, uafAuthenticator(), { deviceId: 'two', preferred: true });
      const preferred = (body: { summaryInfo: { devices: { deviceId: string; preferred: boolean }[] } }) =>
        body.summaryInfo.devices.filter((device) => device.preferred).map(({ deviceId }) => deviceId);
      assert.deepEqual(preferred((await send('GET', `${party.store}/users/${user.id}`)).body), ['two']);
      const set = await send('POST', party[by](user, '/preferredDevice/one'));
      assert.deepEqual([set.status, preferred(set.body)], [200, ['one']], set.text);
      assert.equal((await send('DELETE', party[by](user, '/preferredDevice/two'))).body.code, 100033);
      assert.equal((await send('POST', party[by](user, '/preferredDevice/none'))).body.code, 100033);
      assert.deepEqual(preferred((await send('DELETE', party[by](user, '/preferredDevice/one'))).body), []);
      await send('POST', party[by](user, '/preferredDevice/two'));
      const cleared = await send('DELETE', party[by](user, '/preferredDevices'));
      assert.deepEqual([cleared.status, preferred(cleared.body)], [200, []]);
      assert.equal((await send('DELETE', party[by](user, '/preferredDevices'))).status, 200);
    }
  });

  it('appkeys are deleted together with their user', async () => {
    const { user, authenticator } = await party.holder({}, { pushToken: 'x' });
    assert.equal((await send('DELETE', `${party.store}/users/${user.id}`)).status, 204);
    const next = await party.user();
    assert.equal((await party.register(next, authenticator)).status, 200);
  });

  it('the appkey configuration is created once, changed field by field and checked as a whole: 100014, 100027, 100029, 100065', async () => {
    const own = await grove.store('Configs');
    const create = (body: object) => send('POST', `${own}/appkeyConfig`, body);
    assert.equal((await create({ ...CONFIG, surplus: 'x' })).body.code, 100001);
    assert.equal((await create(CONFIG)).status, 201);
    assert.equal((await create(CONFIG)).body.code, 100014);
    const changed = await send('POST', `${own}/appkeyConfig/${RP}`, { keyTypes: ['BIOMETRIC'] });
    const { lastUpdatedDtm: _date, ...config } = changed.body;
    assert.deepEqual(config, { ...CONFIG, keyTypes: ['BIOMETRIC'] });
    const read = await send('GET', own);
    assert.deepEqual(read.body.configuration.appkeyConfigs[RP], changed.body);
    assert.equal((await send('POST', `${own}/appkeyConfig/none.example`, {})).body.code, 100029);
    assert.equal((await send('POST', '/stores/Nowhere/appkeyConfig', CONFIG)).body.code, 100027);
    const bad = await send('POST', `${own}/appkeyConfig/${RP}`, { trustedFacets: ['https://a.example/path'] });
    assert.deepEqual([bad.body.code, bad.body.errors[0].pointer], [100001, '/trustedFacets/0']);
    const misspelt = await create({ rpId: 'x', registrationPolicies: { p: { accepted: [[{ aaids: [] }]] } } });
    assert.deepEqual(misspelt.body.errors[0], {
      pointer: '/registrationPolicies/p/accepted/0/0/aaids',
      message: 'is not known; did you mean aaid?',
    });
    for (let at = 1; at < 100; at++) assert.equal((await create({ rpId: `rp-${at}` })).status, 201);
    assert.equal((await create({ rpId: 'one-more' })).body.code, 100065);
  });
});

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
  return changed;
}
