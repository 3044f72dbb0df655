import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Authenticator, authenticator, type Faults } from '../../../test/authenticator/authenticator.ts';
import { assertRefused, type RelyingParty, relyingParty } from '../../../test/authenticator/relying-party.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { removeExpiredChallenges } from '../ceremonies/used-challenges.repository.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';

onBothEngines('the authentication with a passkey', (_engine, places) => {
  let grove: TestApp;
  let rp: RelyingParty;
  before(async () => {
    grove = await openTestApp(await places.create());
    const authenticationPolicies = {
      strict: { userVerification: 'required' },
      open: { externalChallengeAllowed: true },
      hinted: { hints: ['client-device'] },
    };
    rp = await relyingParty(grove, { config: { authenticationPolicies } });
  });
  after(() => grove.stop());

  it('the authentication with a passkey works by id, by external id, without a user and by body, with the right options and user', async () => {
    await rp.user({ extId: 'bob' });
    const { body: bob } = await rp.call('GET', '/users/bob/ext');
    const { device } = await rp.register(bob.id);
    const tail = `passkeys/relyingParties/${rp.rpId}/authentications/default`;
    const byBody = { rpId: rp.rpId, authPolicyName: 'default' };
    for (const [path, body, isNamed] of [
      [`/users/${bob.id}/${tail}`, {}, true],
      [`/users/bob/${tail}/ext`, {}, true],
      [`/${tail}`, {}, false],
      ['/passkeys/authentications', byBody, false],
    ] as const) {
      const { sessionId, publicKey } = await rp.must(path, body);
      const { allowCredentials, challenge, ...rest } = publicKey;
      assert.deepEqual(rest, { timeout: 5 * MINUTE, rpId: rp.rpId, userVerification: 'preferred' });
      const descriptor = { id: device.id, type: 'public-key', transports: ['internal', 'hybrid'] };
      assert.deepEqual(allowCredentials, isNamed ? [descriptor] : []);
      assert.equal(Buffer.from(challenge, 'base64url').length, 32);
      grove.clock.advance(1000);
      const { status, body: done } = await rp.authenticate(sessionId, { credential: device.get(publicKey) });
      assert.equal(status, 200);
      const now = new Date(grove.clock.now()).toISOString();
      assert.deepEqual([done.user.id, done.user.lastSuccessfulAuthenticationDtm], [bob.id, now]);
      assert.equal(done.user.summaryInfo.passkeys[0].lastUsedDtm, now);
      const { body: list } = await rp.call('GET', `/users/${bob.id}/authentications`);
      const [{ id, succeeded, modality, rpId }] = list.content;
      assert.deepEqual([id, succeeded, modality, rpId], [done.authenticationId, true, 'PASSKEY', rp.rpId]);
    }
  });

  it('the authentication with a passkey from the list of the browser may take half an hour, and passes on hints and prf', async () => {
    const { device, userId } = await rp.register();
    const { body } = await rp.startAuthentication(undefined, { mediation: 'conditional' });
    assert.equal(body.publicKey.timeout, 30 * MINUTE);
    assert.equal(body.expiringDtm, new Date(grove.clock.now() + 30 * MINUTE).toISOString());
    grove.clock.advance(29 * MINUTE);
    assert.equal((await rp.authenticate(body.sessionId, { credential: device.get(body.publicKey) })).status, 200);
    assertRefused(await rp.startAuthentication(userId, { mediation: 'conditional' }), 100001);
    const first = Buffer.alloc(32, 1).toString('base64url');
    const answer = await rp.startAuthentication(userId, { prf: { first } }, 'hinted');
    assert.deepEqual(answer.body.publicKey.extensions, { prf: { eval: { first } } });
    assert.deepEqual(answer.body.publicKey.hints, ['client-device']);
    assertRefused(await rp.startAuthentication(userId, { prf: { first: '!' } }), 100001);
  });

  it('the authentication with a passkey accepts a challenge of the caller once: its assertion cannot be used again', async () => {
    const { device, userId } = await rp.register(undefined, { counts: false });
    const challenge = Buffer.from(`once for ${userId}`).toString('base64url');
    const first = await rp.startAuthentication(userId, { challenge }, 'open');
    const credential = device.get(first.body.publicKey);
    assert.equal((await rp.authenticate(first.body.sessionId, { credential })).status, 200);
    const byBody = { rpId: rp.rpId, authPolicyName: 'open', challenge };
    for (const again of [
      await rp.startAuthentication(userId, { challenge }, 'open'),
      await rp.startAuthentication(undefined, { challenge }, 'open'),
      await rp.post('/passkeys/authentications', byBody),
    ]) {
      assertRefused(again, 100001);
      assert.deepEqual(
        again.body.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/challenge'],
      );
    }
    assertRefused(await rp.authenticate(first.body.sessionId, { credential }), 100035, 404);
    // Of twelve requests that start with one challenge at once, one succeeds.
    const other = Buffer.from(`at once for ${userId}`).toString('base64url');
    const starts = await Promise.all(
      Array.from({ length: 12 }, () => rp.startAuthentication(userId, { challenge: other }, 'open')),
    );
    assert.equal(starts.filter(({ status }) => status === 201).length, 1);
  });

  it('the authentication with a passkey remembers a challenge of the caller for a day: the purge removes it then, and not before', async () => {
    const { userId } = await rp.register();
    const challenge = Buffer.from(`a day for ${userId}`).toString('base64url');
    const start = () => rp.startAuthentication(userId, { challenge }, 'open');
    const purge = (now: number) =>
      grove.app.db.of(asTenantId('acme')).write((tx) => removeExpiredChallenges(tx, { now, limit: 1000 }));
    const now = grove.clock.now();
    assert.equal((await start()).status, 201);
    await purge(now + 24 * HOUR - 1);
    assertRefused(await start(), 100001);
    await purge(now + 24 * HOUR);
    assert.equal((await start()).status, 201);
  });

  it('the authentication with a passkey accepts every algorithm, and synced passkeys without a counter', async () => {
    for (const options of [
      { alg: -8 },
      { alg: -257 },
      { alg: -35 },
      { alg: -36 },
      { counts: false, backupEligible: true },
    ] as const) {
      const { device, userId } = await rp.register(undefined, options);
      for (const _ of [1, 2]) assert.equal((await rp.login(device, userId)).status, 200);
    }
  });

  const failuresOf = (body: { user: { lockInfo: { modalities: { PASSKEY?: { failedCount: number } } } } }) =>
    body.user.lockInfo.modalities.PASSKEY?.failedCount ?? 0;

  it('the authentication with a passkey refuses with 353, 356, 365, 382, 383, 100091, 100092 and 100200 a wrong assertion, counts a failure, and shows the user', async () => {
    const saying = (clientData: Record<string, unknown>): Faults => ({ clientData });
    for (const [code, faults] of [
      [353, saying({ challenge: 'AAAA' })],
      [100200, saying({ crossOrigin: true })],
      [356, saying({ tokenBinding: {} })],
      [365, { userHandle: 'AAAA' }],
      [382, saying({ origin: 'http://example.org' })],
      [383, saying({ origin: 'https://example.com' })],
      [100091, { signature: () => Buffer.alloc(70) }],
      [100092, { flags: 0 }],
    ] as const) {
      const { device, userId } = await rp.register();
      const answer = await rp.login(device, userId, faults);
      assertRefused(answer, code);
      assert.deepEqual([answer.body.user.id, failuresOf(answer.body)], [userId, 1]);
      const { body } = await rp.call('GET', `/users/${userId}/authentications`);
      assert.deepEqual([body.content[0].succeeded, body.content[0].code], [false, code]);
      const good = await rp.login(device, userId);
      assert.deepEqual([good.status, failuresOf(good.body)], [200, 0]);
    }
  });

  it('the authentication with a passkey refuses with 352, 388, 395, 397, 398, 403 and 100090 a response without a proper assertion, and counts no failure', async () => {
    const { device, userId } = await rp.register();
    for (const owner of [userId, undefined]) {
      const { body: other } = await rp.startRegistration(owner);
      for (const [code, completion] of [
        [352, { credential: authenticator({ origin: rp.origin }).create(other.publicKey) }],
        [388, { sessionData: {} }],
        [395, {}],
        [397, { error: { name: 'SecurityError' } }],
        [398, { error: { name: 'NotAllowedError' } }],
        [403, { error: { name: 'TimeoutError' } }],
        [100090, { credential: { ...device.get({ ...other.publicKey, rpId: rp.rpId }), rawId: 'AAAA' } }],
      ] as const) {
        const { body } = await rp.startAuthentication(owner);
        const answer = await rp.authenticate(body.sessionId, completion);
        assertRefused(answer, code);
        if (owner) assert.equal(failuresOf(answer.body), 0);
        assertRefused(await rp.authenticate(body.sessionId, completion), 100035, 404);
      }
    }
  });

  it('the authentication with a passkey refuses with 362 an unknown passkey, also one of another relying party or another store', async () => {
    const { userId } = await rp.register();
    const elsewhere = await relyingParty(grove, { rpId: 'example.com' });
    const sameRp = await relyingParty(grove);
    const strangers: Authenticator[] = [
      authenticator({ origin: rp.origin }),
      (await elsewhere.register()).device,
      (await sameRp.register()).device,
    ];
    for (const device of strangers) {
      for (const owner of [userId, undefined])
        assertRefused(await rp.login(device, owner, { userHandle: 'AAAA' }), 362);
    }
  });

  it('the authentication with a passkey refuses with 363 the passkey of another user, and with 364 one that was registered since the start', async () => {
    const one = await rp.register();
    const other = await rp.register();
    assertRefused(await rp.login(other.device, one.userId), 363);
    const { body } = await rp.startAuthentication(one.userId);
    const late = await rp.register(one.userId);
    const answer = await rp.authenticate(body.sessionId, { credential: late.device.get(body.publicKey) });
    assertRefused(answer, 364);
    assert.equal(failuresOf(answer.body), 0);
    assertRefused(await rp.login(one.device, undefined, { userHandle: null }), 364);
  });

  it('the authentication with a passkey refuses with 372 a clone whose counter is behind, and the original passkey still works', async () => {
    const { device, userId } = await rp.register();
    const clone = device.clone();
    for (const _ of [1, 2, 3]) assert.equal((await rp.login(device, userId)).status, 200);
    const answer = await rp.login(clone, userId);
    assertRefused(answer, 372);
    assert.equal(failuresOf(answer.body), 1);
    assert.equal((await rp.login(device, userId)).status, 200);
  });

  it('the authentication with a passkey refuses with 502 and 2100 a user that is not active or is locked, also if that happened after the start', async () => {
    for (const [status, code] of [
      ['DISABLED', 502],
      ['PENDING_ACTIVE', 502],
      ['LOCKED', 2100],
    ] as const) {
      const { device, userId } = await rp.register();
      const open = [await rp.startAuthentication(userId), await rp.startAuthentication()];
      await rp.must(`/users/${userId}`, { status }, 200);
      assertRefused(await rp.startAuthentication(userId), code);
      for (const { body } of open) {
        const answer = await rp.authenticate(body.sessionId, { credential: device.get(body.publicKey) });
        assertRefused(answer, code);
        assert.equal(answer.body.user.status, status);
      }
    }
  });

  it('the authentication with a passkey refuses with 2101 after too many failures, even a correct assertion, until the lock ends', async () => {
    const { device, userId } = await rp.register();
    const { body: open } = await rp.startAuthentication(userId);
    for (let at = 0; at < 5; at++)
      assertRefused(await rp.login(device, userId, { signature: () => Buffer.alloc(70) }), 100091);
    assertRefused(await rp.startAuthentication(userId), 2101);
    const answer = await rp.authenticate(open.sessionId, { credential: device.get(open.publicKey) });
    assertRefused(answer, 2101);
    assert.equal(answer.body.user.lockInfo.modalities.PASSKEY.locked, true);
    assertRefused(await rp.login(device), 2101);
    grove.clock.advance(5 * MINUTE + 1);
    assert.equal((await rp.login(device, userId)).status, 200);
  });

  it('the authentication with a passkey refuses with 348 a disabled passkey, before the start and after it, until it is enabled again', async () => {
    const { device, userId, passkeyId } = await rp.register();
    const second = await rp.register(userId);
    const open = [await rp.startAuthentication(userId), await rp.startAuthentication()];
    const disabled = await rp.must(`/users/${userId}/passkeys/${passkeyId}`, { status: 'DISABLED' }, 200);
    assert.equal(disabled.status, 'DISABLED');
    for (const { body } of open) {
      assertRefused(await rp.authenticate(body.sessionId, { credential: device.get(body.publicKey) }), 348);
    }
    assertRefused(await rp.login(device, userId), 348);
    const { body } = await rp.startAuthentication(userId);
    assert.deepEqual(
      body.publicKey.allowCredentials.map(({ id }: { id: string }) => id),
      [second.device.id],
    );
    await rp.must(`/users/${userId}/passkeys/${passkeyId}`, { status: 'ACTIVE' }, 200);
    assert.equal((await rp.login(device, userId)).status, 200);
  });

  it('the authentication with a passkey requires user verification if the policy does: 100092 otherwise', async () => {
    const { device, userId } = await rp.register(undefined, { userVerified: false });
    assert.equal((await rp.login(device, userId)).status, 200);
    const { body } = await rp.startAuthentication(userId, {}, 'strict');
    assert.equal(body.publicKey.userVerification, 'required');
    assertRefused(await rp.authenticate(body.sessionId, { credential: device.get(body.publicKey) }), 100092);
  });

  it('the authentication with a passkey accepts a challenge of the caller only if the policy allows it: 100043 otherwise', async () => {
    const { device, userId } = await rp.register();
    const challenge = Buffer.alloc(32, 3).toString('base64url');
    assertRefused(await rp.startAuthentication(userId, { challenge }), 100043);
    const byBody = { rpId: rp.rpId, authPolicyName: 'default', challenge };
    assertRefused(await rp.post('/passkeys/authentications', byBody), 100043);
    const { body } = await rp.startAuthentication(userId, { challenge }, 'open');
    assert.equal(body.publicKey.challenge, challenge);
    assert.equal((await rp.authenticate(body.sessionId, { credential: device.get(body.publicKey) })).status, 200);
  });

  it('the authentication with a passkey uses the policy as it was at the start, whatever changed since', async () => {
    const { device, userId } = await rp.register();
    const { body } = await rp.startAuthentication(userId);
    await rp.must(`/passkeyConfig/${rp.rpId}`, { restrictedOrigins: ['https://other.example.org'] }, 200);
    assert.equal((await rp.authenticate(body.sessionId, { credential: device.get(body.publicKey) })).status, 200);
    assertRefused(await rp.login(device, userId), 354);
    await rp.must(`/passkeyConfig/${rp.rpId}`, { restrictedOrigins: [] }, 200);
  });

  it('the authentication with a passkey is refused for an unknown store 100027, user 100028, relying party 100029, policy 100030 or passkey 100031', async () => {
    const { userId } = await rp.register();
    assertRefused(
      await grove.call('/api/identity-store/stores/none/passkeys/authentications', {
        method: 'POST',
        body: JSON.stringify({ rpId: 'x', authPolicyName: 'y' }),
      }),
      100027,
      404,
    );
    assertRefused(await rp.startAuthentication(NOBODY), 100028, 404);
    assertRefused(
      await rp.post(`/users/${userId}/passkeys/relyingParties/example.com/authentications/default`),
      100029,
      404,
    );
    assertRefused(await rp.startAuthentication(userId, {}, 'none'), 100030, 404);
    assertRefused(await rp.startAuthentication((await rp.user()).id), 100031, 404);
  });

  it('the authentication with a passkey refuses with 100035 a session of another kind, of another store and an expired one, and changes neither', async () => {
    const { device, userId } = await rp.register();
    const other = await relyingParty(grove);
    const { body: registration } = await rp.startRegistration(userId);
    const { body } = await rp.startAuthentication(userId);
    const credential = device.get(body.publicKey);
    assertRefused(await rp.authenticate(registration.sessionId, { credential }), 100035, 404);
    assertRefused(await rp.completeRegistration(body.sessionId, { credential }), 100035, 404);
    assertRefused(await other.authenticate(body.sessionId, { credential }), 100035, 404);
    assert.equal((await rp.authenticate(body.sessionId, { credential })).status, 200);
    const { body: late } = await rp.startAuthentication(userId);
    grove.clock.advance(5 * MINUTE);
    assertRefused(await rp.authenticate(late.sessionId, { credential: device.get(late.publicKey) }), 100035, 404);
  });
});
