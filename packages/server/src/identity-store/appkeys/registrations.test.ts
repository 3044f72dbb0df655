import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { onBothEngines } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { AAID, type Faults, ownRequest, uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import { certificate } from '../../../test/uaf/certificates.ts';
import {
  ANY_POLICY,
  APP_ID,
  CONFIG,
  openRelyingParty,
  ownChallenge,
  type RelyingParty,
  refuses,
  singleShot,
} from '../../../test/uaf/relying-party.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { KEY, MODE, SIGN, TAG } from './uaf/registry.ts';

const FINGERPRINT = 2;

type Forged = { key?: KeyObject; aaid?: string };

onBothEngines('the registration of an appkey', (_engine, places) => {
  let grove: TestIdentity;
  let party: RelyingParty;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    party = await openRelyingParty(grove, 'Bank');
  });
  after(() => grove.stop());

  const complete = (body: object, at = party) => grove.send('POST', `${at.store}/appkeys/registrations`, body);
  const withFaults = async (faults: Faults, options = {}) =>
    party.register(await party.user(), uafAuthenticator(options), {}, faults);

  it('the registration of an appkey refuses a device or a relying party named . or .., which no address can contain', async () => {
    const user = await party.user();
    const whole = { ...party.sessionData(ownChallenge()), username: user.extId };
    const response = uafAuthenticator().register(ownRequest('Reg', whole.challenge, APP_ID));
    for (const name of ['.', '..']) {
      const device = (await complete({ response, sessionData: whole, deviceId: name })).body;
      assert.deepEqual([device.code, device.errors[0].pointer], [100001, '/deviceId']);
      const config = (await grove.send('POST', `${party.store}/appkeyConfig`, { ...CONFIG, rpId: name })).body;
      assert.deepEqual([config.code, config.errors[0].pointer], [100001, '/rpId']);
    }
    assert.equal((await complete({ response, sessionData: whole, deviceId: '...' })).status, 200, 'nothing was spent');
  });

  it('the registration of an appkey is refused without session and session data (1009), challenge (1011), relying party (1012) or policy (1055), and with both session and session data (1014)', async () => {
    const user = await party.user();
    const whole = { ...party.sessionData(ownChallenge()), username: user.extId };
    const response = uafAuthenticator().register(ownRequest('Reg', whole.challenge, APP_ID));
    refuses(await complete({ response }), 1009, { user: false });
    refuses(await complete({ response, sessionData: { ...whole, challenge: '' } }), 1011, { user: false });
    refuses(await complete({ response, sessionData: { ...whole, rpId: '' } }), 1012, { user: false });
    refuses(await complete({ response, sessionData: { ...whole, policy: undefined } }), 1055, { user: false });
    const { sessionId } = await party.start(user, 'registrations');
    refuses(await complete({ response, sessionId, sessionData: whole }), 1014, { user: false });
    const nameless = await complete({ response, sessionData: { ...whole, username: '' } });
    assert.deepEqual([nameless.body.code, nameless.body.errors[0].pointer], [100001, '/sessionData/username']);
    const nobody = await complete({ response, sessionData: { ...whole, username: 'nobody' } });
    assert.equal(nobody.body.code, 100028);
    const elsewhere = await complete({ response, sessionData: { ...whole, rpId: 'no.example' } });
    assert.equal(elsewhere.body.code, 100029);
    assert.equal((await complete({ response, sessionData: whole })).status, 200);
  });

  it('the registration of an appkey refuses with 1090 a single-shot challenge that is too old', async () => {
    const user = await party.user();
    const challenge = singleShot(grove.clock.now() - 6 * MINUTE);
    const response = uafAuthenticator().register(ownRequest('Reg', challenge, APP_ID));
    const sessionData = { ...party.sessionData(challenge), username: user.extId };
    refuses(await complete({ response, sessionData }), 1090, { user: false });
  });

  it('the registration of an appkey can use a session for one attempt, even a refused one: 100035 for the second', async () => {
    const user = await party.user();
    const { sessionId, uafProtocolMessage } = await party.start(user, 'registrations');
    const authenticator = uafAuthenticator();
    refuses(await complete({ sessionId, response: {} }), 100115);
    const response = authenticator.register(uafProtocolMessage);
    assert.equal((await complete({ sessionId, response })).body.code, 100035);
  });

  it('the registration of an appkey refuses with 1026 an application that is not trusted and with 1029 another challenge', async () => {
    refuses(await withFaults({ final: { facetID: 'https://evil.example' } }), 1026);
    refuses(await withFaults({ final: { challenge: ownChallenge() } }), 1029);
  });

  it('the registration of an appkey refuses with 1035 a type of key that the relying party does not accept', async () => {
    const strict = await openRelyingParty(grove, 'Biometric only', {
      keyTypes: ['BIOMETRIC'],
      metadataStatements: [{ aaid: 'AAAA#0001', userVerification: FINGERPRINT }],
    });
    refuses(await strict.register(await strict.user(), uafAuthenticator()), 1035);
    const finger = await strict.register(await strict.user(), uafAuthenticator({ aaid: 'AAAA#0001' }));
    assert.deepEqual([finger.status, finger.body.appkey?.keyType], [200, 'BIOMETRIC'], finger.text);
  });

  it('the registration of an appkey refuses with 502 a user that is not active and with 2100 a locked one, at the start and at completion', async () => {
    for (const [status, code] of [
      ['DISABLED', 502],
      ['LOCKED', 2100],
    ] as const) {
      const user = await party.user();
      const { sessionId, uafProtocolMessage } = await party.start(user, 'registrations');
      await grove.send('POST', `${party.store}/users/${user.id}`, { status });
      refuses(await complete({ sessionId, response: uafAuthenticator().register(uafProtocolMessage) }), code);
      refuses(await grove.send('POST', party.ofUser(user, '/registrations/standard'), {}), code);
    }
  });

  it('the registration of an appkey refuses with 100111 an authenticator that the policy does not accept', async () => {
    const picky = await openRelyingParty(grove, 'Picky', {
      registrationPolicies: { standard: { accepted: [[{ aaid: ['AAAA#0001'] }]] } },
    });
    refuses(await picky.register(await picky.user(), uafAuthenticator()), 100111);
    assert.equal((await picky.register(await picky.user(), uafAuthenticator({ aaid: 'aaaa#0001' }))).status, 200);
  });

  it('the registration of an appkey refuses with 100112 a hash of other data, another relying party, and a user that was not verified', async () => {
    refuses(
      await withFaults({ entries: (entries) => replaced(entries, TAG.FINAL_CHALLENGE_HASH, Buffer.alloc(32)) }),
      100112,
    );
    refuses(await withFaults({ final: { appID: 'https://other.example' } }), 100112);
    refuses(await withFaults({ mode: MODE.CONFIRMED }), 100112);
  });

  it('the registration of an appkey refuses with 100115 anything but one registration response with a good key', async () => {
    const malformed: Faults[] = [
      { list: () => [] },
      { list: (one) => [one, one] },
      { header: { op: 'Auth' } },
      { aaid: '4E4E-4001' },
      { signAlgorithm: SIGN.RSASSA_PSS_SHA256_RAW },
      { signAlgorithm: 0x0005 },
      { entries: (entries) => replaced(entries, TAG.PUB_KEY, Buffer.alloc(65, 4)) },
      { entries: (entries) => replaced(entries, TAG.KEYID, Buffer.alloc(31)) },
      { beside: () => [] },
    ];
    for (const faults of malformed) refuses(await withFaults(faults), 100115);
  });

  describe('the registration of an appkey with a full attestation', () => {
    const root = certificate({ name: 'Root', ca: true });
    const middle = certificate({ name: 'Middle', ca: true, issuer: root });
    const leaf = certificate({ name: 'Model', issuer: middle });
    const chain = (...certificates: { certificate: Buffer }[]) => certificates.map((each) => each.certificate);
    let strict: RelyingParty;
    before(async () => {
      strict = await openRelyingParty(grove, 'Attested', {
        registrationPolicies: { standard: { accepted: [[{ attestationTypes: [TAG.ATTESTATION_BASIC_FULL] }]] } },
        metadataStatements: [
          { aaid: AAID, attestationRootCertificates: [root.certificate.toString('base64')] },
          { aaid: 'BBBB#0001', attestationTypes: [TAG.ATTESTATION_BASIC_SURROGATE] },
        ],
      });
    });
    const register = async (certificates: Buffer[], { key = leaf.key, ...options }: Forged = {}) =>
      strict.register(await strict.user(), uafAuthenticator({ attestation: { certificates, key }, ...options }));

    it('the registration of an appkey with a full attestation accepts a key whose certificate leads to a root of the metadata statement', async () => {
      const done = await register(chain(leaf, middle));
      assert.deepEqual([done.status, done.body.appkey?.attestation], [200, 'FULL'], done.text);
      const direct = certificate({ name: 'Model', issuer: root, aaid: AAID });
      assert.equal((await register(chain(direct), { key: direct.key })).status, 200);
      assert.equal((await register(chain(leaf, middle, root))).status, 200);
    });

    it('the registration of an appkey with a full attestation refuses with 100114 a certificate that leads to no such root', async () => {
      const forgedRoot = certificate({ name: 'Root', ca: true });
      const forged = certificate({ name: 'Model', issuer: forgedRoot });
      const noCa = certificate({ name: 'Middle', issuer: root });
      const byNoCa = certificate({ name: 'Model', issuer: noCa });
      const expired = certificate({ name: 'Model', issuer: root, to: new Date(grove.clock.now() - 1000) });
      const early = certificate({ name: 'Model', issuer: root, from: new Date(Date.now() + 3600_000) });
      const ofAnother = certificate({ name: 'Model', issuer: root, aaid: 'CCCC#0001' });
      refuses(await register(chain(forged, forgedRoot), { key: forged.key }), 100114);
      refuses(await register(chain(leaf)), 100114);
      const direct = certificate({ name: 'Model', issuer: root, aaid: AAID });
      refuses(await register(chain(direct, forgedRoot), { key: direct.key }), 100114);
      refuses(await register(chain(leaf, middle, forgedRoot)), 100114);
      refuses(await register(chain(byNoCa, noCa), { key: byNoCa.key }), 100114);
      refuses(await register(chain(expired), { key: expired.key }), 100114);
      refuses(await register(chain(early), { key: early.key }), 100114);
      refuses(await register(chain(ofAnother), { key: ofAnother.key }), 100114);
      refuses(await register(chain(leaf, middle), { key: middle.key }), 100114);
      refuses(await register(chain(leaf, middle), { aaid: 'DDDD#0001' }), 100114);
      refuses(await register(chain(leaf, middle), { aaid: 'BBBB#0001' }), 100114);
      refuses(await register([Buffer.from('no certificate')]), 100115);
    });

    it('the registration of an appkey without a full attestation is refused with 100111 if the policy requires one', async () => {
      refuses(await strict.register(await strict.user(), uafAuthenticator()), 100111);
    });
  });

  it('the registration of an appkey refuses with 100114 a surrogate attestation that is not signed by the key itself', async () => {
    refuses(await withFaults({ signWith: uafAuthenticator().privateKey }), 100114);
    refuses(await withFaults({ signature: (signature) => signature.subarray(1) }), 100114);
  });

  it('the registration of a new appkey unlocks appkeys for a user whose failures locked them', async () => {
    const mine = await party.holder();
    for (let at = 0; at < 5; at++) await party.authenticate(mine, { signature: () => Buffer.alloc(64) });
    refuses(await grove.send('POST', party.ofUser(mine.user, '/authentications/standard'), {}), 2101);
    const authenticator = uafAuthenticator({ keyAlgorithm: KEY.ECC_X962_DER });
    assert.equal((await party.register(mine.user, authenticator)).status, 200);
    assert.equal((await party.authenticate({ user: mine.user, authenticator })).status, 200);
  });

  it('the registration of an appkey identifies the application by its facet if the relying party has no AppID', async () => {
    const plain = await openRelyingParty(grove, 'Without AppID', {
      appId: undefined,
      authenticationPolicies: { standard: ANY_POLICY },
    });
    const holder = await plain.holder();
    assert.equal((await plain.authenticate(holder)).status, 200);
    refuses(await plain.authenticate(holder, { final: { appID: 'https://other.example' } }), 100112);
  });
});

function replaced(entries: (readonly [number, Buffer])[], tag: number, value: Buffer) {
  return entries.map((entry) => (entry[0] === tag ? ([tag, value] as const) : entry));
}
