import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { packed, packedSelf } from '../../../test/authenticator/attest.ts';
import { type AuthenticatorOptions, authenticator, type Faults } from '../../../test/authenticator/authenticator.ts';
import { authority } from '../../../test/authenticator/authority.ts';
import { assertRefused, type RelyingParty, relyingParty } from '../../../test/authenticator/relying-party.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { sql } from '../../db/db.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';

const CEREMONIES = sql('SELECT data FROM ceremonies WHERE tenant_id = $1');
const AUDITS = sql('SELECT sealed FROM passkey_audits WHERE tenant_id = $1');
const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const maker = authority();

onBothEngines('the registration of a passkey', (_engine, places) => {
  let grove: TestApp;
  let rp: RelyingParty;
  before(async () => {
    grove = await openTestApp(await places.create());
    const registrationPolicies = {
      few: { maxPasskeysPerUser: 1 },
      named: { userNameRequired: true, displayNameRequired: true },
      open: { externalChallengeAllowed: true },
      strict: {
        attestation: 'direct',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        algorithms: [-8, -7],
      },
      self: { attestation: 'direct', attestationTrust: 'self' },
      wide: {
        algorithms: [-48, -47, -37, -258, -7],
        hints: ['security-key', 'hybrid'],
        attestationFormats: ['packed'],
        extensions: { credProps: true, prf: true },
      },
      upgrade: { conditionalCreateAllowed: true },
      bound: { backup: 'forbidden' },
      synced: { backup: 'required' },
      denied: { deniedAaguids: ['07070707-0707-0707-0707-070707070707'] },
    };
    rp = await relyingParty(grove, {
      config: { rpName: 'Example', registrationPolicies, attestationRoots: [maker.root] },
    });
  });
  after(() => grove.stop());

  /** Runs a registration up to the answer of the server, with the given faults. */
  const complete = async (faults: Faults, options: Partial<AuthenticatorOptions> = {}, policy = 'default') => {
    const { id } = await rp.user();
    const { body } = await rp.startRegistration(id, {}, policy);
    const credential = authenticator({ origin: rp.origin, ...options }).create(body.publicKey, faults);
    return rp.completeRegistration(body.sessionId, { credential });
  };

  it('the registration of a passkey works by id, by external id and without a user, with the right options and passkey', async () => {
    const user = (await rp.user({ extId: 'ann' })) as { id: string };
    const tail = `passkeys/relyingParties/${rp.rpId}/registrations/default`;
    for (const [path, owner] of [
      [`/users/${user.id}/${tail}`, user.id],
      [`/users/ann/${tail}/ext`, user.id],
      [`/${tail}`, undefined],
    ] as const) {
      const { sessionId, expiringDtm, publicKey } = await rp.must(path, { userName: 'ann@example.org' });
      assert.equal(expiringDtm, new Date(grove.clock.now() + 5 * MINUTE).toISOString());
      assert.equal(Buffer.from(publicKey.challenge, 'base64url').length, 32);
      assert.deepEqual(publicKey.rp, { id: 'example.org', name: 'Example' });
      assert.deepEqual([publicKey.user.name, publicKey.user.displayName], ['ann@example.org', 'ann@example.org']);
      assert.deepEqual(
        publicKey.pubKeyCredParams.map(({ alg }: { alg: number }) => alg),
        [-7, -8, -257, -35, -36],
      );
      const device = authenticator({ origin: rp.origin });
      const { status, body } = await rp.completeRegistration(sessionId, { credential: device.create(publicKey) });
      assert.equal(status, 200);
      assert.equal(body.passkey.credentialId, device.id);
      if (owner) assert.equal(body.user.id, owner);
      const userAnswer = await rp.call('GET', `/users/${body.user.id}`);
      assert.ok(userAnswer.body.summaryInfo.passkeys.some(({ id }: { id: string }) => id === body.passkey.id));
      assert.equal((await rp.login(device, owner)).body.user.id, body.user.id);
    }
    const { body } = await rp.startRegistration(user.id);
    assert.equal(body.publicKey.excludeCredentials.length, 2);
    assert.deepEqual(body.publicKey.excludeCredentials[0].transports, ['internal', 'hybrid']);
  });

  it('the registration of a passkey offers the algorithms, hints, formats and extensions of its policy, and shows those of the response', async () => {
    const { id } = await rp.user();
    const { body } = await rp.startRegistration(id, {}, 'wide');
    const { pubKeyCredParams, hints, attestationFormats, extensions } = body.publicKey;
    assert.deepEqual(
      pubKeyCredParams.map(({ alg }: { alg: number }) => alg),
      [-48, -47, -37, -258, -7],
    );
    assert.deepEqual([hints, attestationFormats], [['security-key', 'hybrid'], ['packed']]);
    assert.deepEqual(extensions, { credProps: true, prf: {} });
    const device = authenticator({ origin: rp.origin, alg: -48 });
    const clientExtensionResults = { credProps: { rk: true }, prf: { enabled: true, results: { first: 'c2VjcmV0' } } };
    const credential = device.create(body.publicKey, { credential: { clientExtensionResults } });
    const done = await rp.completeRegistration(body.sessionId, { credential });
    assert.equal(done.status, 200, done.text);
    const path = `/users/${id}/passkeys/${done.body.passkey.id}/registrationAudit`;
    const audit = await rp.call('GET', path);
    assert.deepEqual([audit.body.algorithm, audit.body.discoverable, audit.body.prfEnabled], [-48, true, true]);
    assert.ok(!audit.text.includes('c2VjcmV0'), 'a secret of the page is not kept');
    assert.equal((await rp.login(device, id)).status, 200, 'ML-DSA');
    const plain = await rp.startRegistration(id);
    assert.ok(!('hints' in plain.body.publicKey) && !('extensions' in plain.body.publicKey));
  });

  it('the registration of a passkey without a prompt is allowed only for a known user and by policy: 100092 and 100001 otherwise', async () => {
    const { id } = await rp.user();
    const conditional = { mediation: 'conditional' };
    for (const refusal of [
      await rp.startRegistration(id, conditional),
      await rp.startRegistration(undefined, conditional, 'upgrade'),
    ]) {
      assertRefused(refusal, 100001);
      assert.equal(refusal.body.errors[0].pointer, '/mediation');
    }
    const unasked = { flags: 64 | 8 };
    const createWith = async (body: object) => {
      const started = await rp.startRegistration(id, body, 'upgrade');
      const credential = authenticator({ origin: rp.origin }).create(started.body.publicKey, unasked);
      return rp.completeRegistration(started.body.sessionId, { credential });
    };
    assertRefused(await createWith({}), 100092);
    const done = await createWith(conditional);
    assert.equal(done.status, 200, done.text);
  });

  it('the registration of a passkey accepts or refuses with 100093 one that may be backed up, or of a denied model, as the policy says', async () => {
    assertRefused(await complete({}, { backupEligible: true }, 'bound'), 100093);
    assert.equal((await complete({}, {}, 'bound')).status, 200);
    assertRefused(await complete({}, {}, 'synced'), 100093);
    assert.equal((await complete({}, { backupEligible: true }, 'synced')).status, 200);
    assertRefused(await complete({}, { aaguid: Buffer.alloc(16, 7) }, 'denied'), 100093);
    assert.equal((await complete({}, {}, 'denied')).status, 200);
  });

  it('the registration of a passkey has the options of its policy', async () => {
    const { body } = await rp.startRegistration((await rp.user()).id, {}, 'strict');
    const { authenticatorSelection, attestation, pubKeyCredParams } = body.publicKey;
    assert.deepEqual(authenticatorSelection, {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    });
    assert.equal(attestation, 'direct');
    assert.deepEqual(pubKeyCredParams, [
      { type: 'public-key', alg: -8 },
      { type: 'public-key', alg: -7 },
    ]);
  });

  it('the registration of a passkey refuses with 353, 356, 382, 383, 100090, 100092 and 100200 a wrong response, and the session cannot be used again', async () => {
    const saying = (clientData: Record<string, unknown>): Faults => ({ clientData });
    for (const [code, faults] of [
      [353, saying({ challenge: 'AAAA' })],
      [100200, saying({ crossOrigin: true })],
      [356, saying({ tokenBinding: {} })],
      [382, saying({ origin: 'http://example.org' })],
      [383, saying({ origin: 'https://example.com' })],
      [100090, { credential: { rawId: 'AAAA' } }],
      [100092, { flags: 64 }],
    ] as const) {
      const answer = await complete(faults);
      assertRefused(answer, code);
      assert.equal(answer.body.user.summaryInfo.passkeys.length, 0);
      assert.equal(answer.body.user.lockInfo.failedCount, 0);
    }
    const { body } = await rp.startRegistration((await rp.user()).id);
    const device = authenticator({ origin: rp.origin });
    const wrong = device.create(body.publicKey, { clientData: { challenge: 'AAAA' } });
    assertRefused(await rp.completeRegistration(body.sessionId, { credential: wrong }), 353);
    const right = device.create(body.publicKey);
    assertRefused(await rp.completeRegistration(body.sessionId, { credential: right }), 100035, 404);
  });

  it('the registration of a passkey refuses with 388, 395, 397, 398 and 403 a response without a credential', async () => {
    const { id } = await rp.user();
    for (const [code, completion] of [
      [388, { sessionData: {} }],
      [395, {}],
      [397, { error: { name: 'InvalidStateError' } }],
      [398, { error: { name: 'NotAllowedError', message: 'The operation was not allowed' } }],
      [398, { error: { name: 'AbortError' } }],
      [403, { error: { name: 'TimeoutError' } }],
      [100090, { error: { name: 'TimeoutError' }, credential: { id: 'AAAA', type: 'public-key', response: {} } }],
    ] as const) {
      const { body } = await rp.startRegistration(id);
      assertRefused(await rp.completeRegistration(body.sessionId, completion), code);
    }
  });

  it('the registration of a passkey refuses with 100093 an attestation that the policy does not accept, and stores what it learns from an accepted one', async () => {
    assertRefused(await complete({}, {}, 'strict'), 100093);
    assertRefused(await complete({}, { format: 'packed', attests: packedSelf() }, 'strict'), 100093);
    assertRefused(await complete({}, { format: 'packed', attests: packed(authority()) }, 'strict'), 100093);
    for (const [policy, attests, trust] of [
      ['strict', packed(maker), 'trusted'],
      ['self', packedSelf(), 'self'],
    ] as const) {
      const { status, body } = await complete({}, { format: 'packed', attests }, policy);
      assert.equal(status, 200);
      const { body: audit } = await rp.call(
        'GET',
        `/users/${body.user.id}/passkeys/${body.passkey.id}/registrationAudit`,
      );
      assert.deepEqual([audit.attestationFormat, audit.attestationTrust], ['packed', trust]);
    }
  });

  it('the registration of a passkey refuses with 100094 a credential id that is registered already, for any user', async () => {
    const { device } = await rp.register();
    for (const owner of [(await rp.user()).id, undefined]) {
      const { body } = await rp.startRegistration(owner);
      const credential = device.clone().create(body.publicKey);
      assertRefused(await rp.completeRegistration(body.sessionId, { credential }), 100094, 409);
    }
  });

  it('the registration of a passkey refuses with 100038 one passkey too many, at the start and at completion', async () => {
    const { id } = await rp.user();
    const open = await Promise.all([1, 2].map(() => rp.startRegistration(id, {}, 'few')));
    const ends = [];
    for (const { body } of open) {
      const credential = authenticator({ origin: rp.origin }).create(body.publicKey);
      ends.push(await rp.completeRegistration(body.sessionId, { credential }));
    }
    assert.equal(ends[0]?.status, 200);
    assertRefused(ends[1] as never, 100038, 409);
    assertRefused(await rp.startRegistration(id, {}, 'few'), 100038, 409);
    assert.equal((await rp.startRegistration(id)).status, 201);
  });

  it('the registration of a passkey accepts a challenge of the caller only if the policy allows it: 100043 otherwise', async () => {
    const { id } = await rp.user();
    const challenge = Buffer.alloc(16, 1).toString('base64url');
    assertRefused(await rp.startRegistration(id, { challenge }), 100043);
    const { body } = await rp.startRegistration(id, { challenge }, 'open');
    assert.equal(body.publicKey.challenge, challenge);
    // The challenge works once.
    assertRefused(await rp.startRegistration(id, { challenge }, 'open'), 100001);
    for (const wrong of [`${challenge}=`, 'A'.repeat(20), `${challenge.slice(0, -1)}R`, '!'.repeat(22)]) {
      assertRefused(await rp.startRegistration(id, { challenge: wrong }, 'open'), 100001);
    }
  });

  it('the registration of a passkey refuses with 354 an origin that is not on the list of the relying party', async () => {
    const narrow = await relyingParty(grove, { config: { restrictedOrigins: ['https://other.example.org'] } });
    const { body } = await narrow.startRegistration((await narrow.user()).id);
    const credential = authenticator({ origin: narrow.origin }).create(body.publicKey);
    assertRefused(await narrow.completeRegistration(body.sessionId, { credential }), 354);
  });

  it('the registration of a passkey requires the names that the policy requires', async () => {
    const { id } = await rp.user();
    const { body } = await rp.startRegistration(id, {}, 'named');
    assert.deepEqual(
      body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/userName', '/displayName'],
    );
    assert.equal((await rp.startRegistration(id, { userName: 'ann', displayName: 'Ann' }, 'named')).status, 201);
  });

  it('the registration of a passkey gives a user one handle: a unique one of the caller of at most 64 bytes, or a random one', async () => {
    const { id } = await rp.user();
    const userHandle = Buffer.alloc(64, 9).toString('base64url');
    const { body } = await rp.startRegistration(id, { userHandle });
    assert.equal(body.publicKey.user.id, userHandle);
    const device = authenticator({ origin: rp.origin });
    await rp.completeRegistration(body.sessionId, { credential: device.create(body.publicKey) });
    assert.equal((await rp.startRegistration(id)).body.publicKey.user.id, userHandle);
    assert.equal((await rp.login(device)).body.user.id, id);
    const other = await rp.user();
    assertRefused(await rp.startRegistration(other.id, { userHandle }), 100001);
    assertRefused(await rp.startRegistration(undefined, { userHandle }), 100001);
    assertRefused(await rp.startRegistration(id, { userHandle: 'AAAA' }), 100001);
    const long = Buffer.alloc(65).toString('base64url');
    for (const wrong of [long, 'AA=', 'A'])
      assertRefused(await rp.startRegistration(other.id, { userHandle: wrong }), 100001);
  });

  it('the registration of a passkey refuses with 502 and 2100 a user that is not active or is locked, also if that happened after the start', async () => {
    for (const [status, code] of [
      ['DISABLED', 502],
      ['LOCKED', 2100],
    ] as const) {
      const { id } = await rp.user();
      const { body } = await rp.startRegistration(id);
      await rp.must(`/users/${id}`, { status }, 200);
      assertRefused(await rp.startRegistration(id), code);
      const credential = authenticator({ origin: rp.origin }).create(body.publicKey);
      const answer = await rp.completeRegistration(body.sessionId, { credential });
      assertRefused(answer, code);
      assert.equal(answer.body.user.status, status);
    }
  });

  it('the registration of a passkey is refused for an unknown store 100027, user 100028, relying party 100029, policy 100030 or session 100035', async () => {
    const { id } = await rp.user();
    assertRefused(
      await grove.call(`/api/identity-store/stores/none/users/${id}/passkeys/relyingParties/x/registrations/default`, {
        method: 'POST',
        body: '{}',
      }),
      100027,
      404,
    );
    assertRefused(await rp.startRegistration(NOBODY), 100028, 404);
    assertRefused(await rp.post(`/users/${id}/passkeys/relyingParties/example.com/registrations/default`), 100029, 404);
    assertRefused(await rp.startRegistration(id, {}, 'none'), 100030, 404);
    assertRefused(await rp.startRegistration(id, {}, '__proto__'), 100030, 404);
    assertRefused(await rp.completeRegistration(NOBODY, {}), 100035, 404);
    const { body } = await rp.startRegistration(id);
    grove.clock.advance(5 * MINUTE);
    assertRefused(await rp.completeRegistration(body.sessionId, {}), 100035, 404);
  });

  it('the registration of a passkey stores no name of the user in its session, and seals its audit', async () => {
    const { id } = await rp.user();
    await rp.startRegistration(id, { userName: 'hubertine@example.org', displayName: 'Hubertine' });
    await rp.register(id);
    const db = grove.app.db.of(asTenantId(grove.tenantId));
    const sessions = await db.all<{ data: string }>(CEREMONIES, [db.tenantId]);
    const audits = await db.all<{ sealed: Uint8Array }>(AUDITS, [db.tenantId]);
    assert.ok(sessions.length > 0 && audits.length > 0);
    assert.ok(!sessions.some(({ data }) => /hubertine/i.test(data)));
    assert.ok(!audits.some(({ sealed }) => Buffer.from(sealed).toString('latin1').includes('attestationObject')));
  });
});
