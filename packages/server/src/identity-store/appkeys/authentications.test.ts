import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Answer, onBothEngines } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { AAID, ownRequest, uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import {
  ANY_POLICY,
  APP_ID,
  type Holder,
  openRelyingParty,
  ownChallenge,
  type RelyingParty,
  RP,
  refuses,
  singleShot,
} from '../../../test/uaf/relying-party.ts';
import { sql } from '../../db/db.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { MODE, SIGN } from './uaf/registry.ts';

const REMEMBERED = sql('SELECT count(*) AS total FROM used_challenges WHERE tenant_id = $1');

onBothEngines('an authentication with an appkey', (_engine, places) => {
  let grove: TestIdentity;
  let party: RelyingParty;
  let holder: Holder;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    party = await openRelyingParty(grove, 'Bank');
    holder = await party.holder();
  });
  after(() => grove.stop());

  const authentications = () => `${party.store}/appkeys/authentications`;
  const update = (user: { id: string }, change: object) =>
    grove.send('POST', `${party.store}/users/${user.id}`, change);
  const configure = async (change: object) => {
    const changed = await grove.send('POST', `${party.store}/appkeyConfig/${RP}`, change);
    assert.equal(changed.status, 200, changed.text);
  };
  const failures = ({ body }: Answer) => body.user.lockInfo.modalities.APPKEY?.failedCount ?? 0;
  /** Completes a new session of the holder with this response. */
  const completeWith = async (body: object, whose = holder) => {
    const { sessionId } = await party.start(whose.user, 'authentications');
    return party.complete(sessionId, body);
  };

  describe('an appkey authentication: what the caller must send', () => {
    it('an appkey authentication refuses with 1014 session data beside a session, and the session can still be used', async () => {
      const { sessionId, uafProtocolMessage } = await party.start(holder.user, 'authentications');
      const response = holder.authenticator.authenticate(uafProtocolMessage);
      const sessionData = party.sessionData('x');
      refuses(await party.complete(sessionId, { response, sessionData }), 1014, { user: false });
      assert.equal((await party.complete(sessionId, { response })).status, 200);
    });

    it('an appkey authentication without a session is refused without session data (1009), challenge (1011), relying party (1012), policy (1055) or policy name (1056)', async () => {
      const whole = party.sessionData(ownChallenge());
      const response = holder.authenticator.authenticate(ownRequest('Auth', whole.challenge, APP_ID));
      for (const [code, sessionData] of [
        [1009, undefined],
        [1011, { ...whole, challenge: undefined }],
        [1011, { ...whole, challenge: '' }],
        [1012, { ...whole, rpId: undefined }],
        [1055, { ...whole, policy: undefined }],
        [1056, { ...whole, authPolicyName: undefined }],
      ] as const) {
        const answer = await grove.send('POST', authentications(), { response, ...(sessionData && { sessionData }) });
        refuses(answer, code, { user: false });
      }
      const unknown = { ...whole, authPolicyName: 'other' };
      assert.equal((await grove.send('POST', authentications(), { response, sessionData: unknown })).body.code, 100030);
      const elsewhere = { ...whole, rpId: 'no.example' };
      assert.equal(
        (await grove.send('POST', authentications(), { response, sessionData: elsewhere })).body.code,
        100029,
      );
      assert.equal((await grove.send('POST', authentications(), { response, sessionData: whole })).status, 200);
    });

    it('an appkey authentication refuses with 1115 a request with neither a response nor an error', async () => {
      refuses(await completeWith({}), 1115);
      const sessionData = { ...party.sessionData(ownChallenge()), username: holder.user.extId };
      refuses(await grove.send('POST', authentications(), { sessionData }), 1115);
    });
  });

  describe('an appkey authentication: failures that the client reports', () => {
    it('an appkey authentication that the user cancelled is refused with 1105 and does not count as a failure', async () => {
      const cancelled = await completeWith({ error: { errorCode: 3, message: 'cancelled' } });
      refuses(cancelled, 1105);
      assert.equal(failures(cancelled), 0);
    });

    it('an appkey authentication that failed on the client is refused with 1104 and counts as a failure unless time ran out', async () => {
      const mine = await party.holder();
      for (const errorCode of [0x0e, 0x12, 0x01]) {
        assert.equal(failures(await completeWith({ error: { errorCode } }, mine)), 0);
      }
      const failed = await completeWith({ error: { errorCode: 0xff } }, mine);
      refuses(failed, 1104);
      assert.equal(failures(failed), 1);
    });

    it('an appkey authentication refuses with 1102 an unknown error of the client', async () => {
      for (const error of [{}, { errorCode: 0 }, { errorCode: 'x' }, { errorCode: 256 }, { errorCode: -1 }]) {
        refuses(await completeWith({ error }), 1102);
      }
      refuses(await completeWith({ error: { errorCode: 3 }, response: {} }), 1102);
    });
  });

  describe('an appkey authentication: the response of the client', () => {
    it('an appkey authentication refuses with 1017 the response to a registration', async () => {
      const { uafProtocolMessage } = await party.start(holder.user, 'registrations');
      refuses(await completeWith({ response: uafAuthenticator().register(uafProtocolMessage) }), 1017);
    });

    it('an appkey authentication refuses with 1092 an empty list of responses, and with 1093 several', async () => {
      refuses(await party.authenticate(holder, { list: () => [] }), 1092);
      refuses(await party.authenticate(holder, { list: (one) => [one, one] }), 1093);
    });

    it('an appkey authentication refuses with 1091 text that is not a response, and never counts it as a failure', async () => {
      const broken = [
        { list: () => ({}) },
        { list: () => ['x'] },
        { response: { header: undefined } },
        { response: { fcParams: 'not base64url!' } },
        { response: { fcParams: Buffer.from('[]').toString('base64url') } },
        { response: { fcParams: Buffer.from('{"challenge":"a","challenge":"b"}').toString('base64url') } },
        { response: { assertions: [] } },
        { header: { upv: { major: 2, minor: 0 } } },
        { header: { op: 'Dereg' } },
        { assertionMembers: { assertionScheme: 'OTHER' } },
        { assertionMembers: { assertion: 'AAAA' } },
        { bytes: (assertion: Buffer) => Buffer.concat([assertion, Buffer.of(0)]) },
      ];
      for (const faults of broken) {
        const answer = await party.authenticate(holder, faults);
        refuses(answer, 1091);
        assert.equal(failures(answer), 0);
      }
      for (const response of [{}, { uafProtocolMessage: 7 }, { uafProtocolMessage: '[' }]) {
        refuses(await completeWith({ response }), 1091);
      }
    });

    it('an appkey authentication refuses with 1026 an application that is not in the trusted facets', async () => {
      const mine = await party.holder();
      for (const facetID of ['https://evil.example', 'https://app.example.com.evil.example', 'nothing', '']) {
        refuses(await party.authenticate(mine, { final: { facetID } }), 1026);
      }
    });

    it('an appkey authentication refuses with 1029 a challenge other than that of the session, with a session and without', async () => {
      const mine = await party.holder();
      const earlier = await party.start(mine.user, 'authentications');
      const later = await party.start(mine.user, 'authentications');
      const response = mine.authenticator.authenticate(earlier.uafProtocolMessage);
      refuses(await party.complete(later.sessionId, { response }), 1029);
      refuses(await party.authenticateOwn(mine, ownChallenge(), {}, { final: { challenge: ownChallenge() } }), 1029);
    });
  });

  describe('an appkey authentication: the key', () => {
    it('an appkey authentication refuses with 1058 an unknown key id, also if the key must identify the user', async () => {
      const mine = await party.holder();
      refuses(await party.authenticate(mine, { keyId: randomBytes(32) }), 1058);
      const answer = await party.authenticateOwn(mine, ownChallenge(), {}, { keyId: randomBytes(32) });
      refuses(answer, 1058, { user: false });
    });

    it('an appkey authentication refuses with 1059 the appkey of another user', async () => {
      const [mine, other] = [await party.holder(), await party.holder()];
      refuses(await party.authenticate({ user: mine.user, authenticator: other.authenticator }), 1059);
      const user = { username: mine.user.extId };
      const response = await party.authenticateOwn(
        { ...mine, authenticator: other.authenticator },
        ownChallenge(),
        user,
      );
      refuses(response, 1059);
      assert.equal(response.body.user.id, mine.user.id);
    });

    it('an appkey authentication refuses with 1060 an appkey that is not active, also one disabled after the start', async () => {
      const mine = await party.holder();
      const { sessionId, uafProtocolMessage } = await party.start(mine.user, 'authentications');
      const key = party.ofUser(mine.user, `/keys/${mine.authenticator.keyId}`);
      await grove.send('POST', key, { status: 'DISABLED' });
      const response = mine.authenticator.authenticate(uafProtocolMessage);
      refuses(await party.complete(sessionId, { response }), 1060);
      refuses(await party.authenticateOwn(mine, ownChallenge()), 1060);
      await grove.send('POST', key, { status: 'ACTIVE' });
      assert.equal((await party.authenticate(mine)).status, 200);
    });

    it('an appkey authentication refuses with 1035 a type of appkey that the relying party no longer accepts', async () => {
      const mine = await party.holder();
      const { sessionId, uafProtocolMessage } = await party.start(mine.user, 'authentications');
      await configure({ keyTypes: ['BIOMETRIC'] });
      const response = mine.authenticator.authenticate(uafProtocolMessage);
      const answer = await party.complete(sessionId, { response });
      await configure({ keyTypes: ['DEVICE', 'BIOMETRIC'] });
      refuses(answer, 1035);
    });

    it('an appkey authentication refuses with 100111 an authenticator that the policy does not accept, whether of the session or of the caller', async () => {
      const mine = await party.holder();
      const policy = { accepted: [[{ aaid: ['FFFF#0001'] }]] };
      refuses(await party.authenticateOwn(mine, ownChallenge(), { policy }), 100111);
      await configure({ authenticationPolicies: { standard: { ...ANY_POLICY, disallowed: [{ aaid: [AAID] }] } } });
      const refusal = await party.authenticateOwn(mine, ownChallenge());
      await configure({ authenticationPolicies: { standard: ANY_POLICY } });
      refuses(refusal, 100111);
    });
  });

  describe('an appkey authentication: the proof', () => {
    it('an appkey authentication refuses with 100112 an assertion that is not signed by the key, or not for this relying party', async () => {
      const mine = await party.holder();
      const thief = uafAuthenticator();
      const unproven = [
        { signWith: thief.privateKey },
        { signature: () => Buffer.alloc(64) },
        { final: { appID: 'https://other.example' } },
        { header: { appID: 'https://other.example' } },
      ];
      for (const faults of unproven) refuses(await party.authenticate(mine, faults), 100112);
    });

    it('an appkey authentication refuses with 1061 a counter that has not advanced, so either a clone or the original is noticed', async () => {
      const mine = await party.holder();
      for (const _ of [1, 2, 3]) assert.equal((await party.authenticate(mine)).status, 200);
      mine.authenticator.rewind(2);
      const cloned = await party.authenticate(mine);
      refuses(cloned, 1061);
      assert.equal(failures(cloned), 1);
      refuses(await party.authenticate(mine, { counter: 0 }), 1061);
      assert.equal((await party.authenticate(mine, { counter: 4 })).status, 200);
    });

    it('an appkey authentication accepts a counter that stays at 0, as of an authenticator without one', async () => {
      const mine = await party.holder();
      for (const _ of [1, 2]) assert.equal((await party.authenticate(mine, { counter: 0 })).status, 200);
    });

    it('an appkey authentication confirms the requested transaction; another one, or none, is refused with 100113', async () => {
      const mine = await party.holder();
      const content = Buffer.from('Pay 100 euro to Ann').toString('base64url');
      const body = { transaction: { contentType: 'text/plain', content } };
      assert.equal((await party.authenticate(mine, {}, body)).status, 200);
      refuses(await party.authenticate(mine, { transactionHash: randomBytes(32) }, body), 100113);
      refuses(await party.authenticate(mine, { transactionHash: Buffer.alloc(0), mode: MODE.VERIFIED }, body), 100113);
      refuses(await party.authenticate(mine, { mode: MODE.VERIFIED }, body), 100113);
      refuses(await party.authenticate(mine, { transactionHash: randomBytes(32), mode: MODE.CONFIRMED }), 100113);
    });

    it('an appkey authentication refuses at the start a transaction that no authenticator can show', async () => {
      for (const [contentType, content] of [
        ['text/plain', Buffer.from('é'.repeat(10)).toString('base64url')],
        ['text/plain', Buffer.alloc(201, 'x').toString('base64url')],
        ['text/plain', 'a b'],
        ['image/png', Buffer.from('no image').toString('base64url')],
      ]) {
        const body = { transaction: { contentType, content } };
        const answer = await grove.send('POST', party.ofUser(holder.user, '/authentications/standard'), body);
        assert.deepEqual([answer.body.code, answer.body.errors?.[0]?.pointer], [100001, '/transaction/content']);
      }
    });
  });

  describe('an appkey authentication: challenges of the caller', () => {
    it('an appkey authentication refuses with 1090 a single-shot challenge outside its time window, or used before', async () => {
      const mine = await party.holder();
      const now = grove.clock.now();
      for (const at of [now - 5 * MINUTE - 1, now + 5 * MINUTE + 1]) {
        refuses(await party.authenticateOwn(mine, singleShot(at)), 1090, { user: false });
      }
      for (const at of [now - 5 * MINUTE, now + 5 * MINUTE, now]) {
        const challenge = singleShot(at);
        assert.equal((await party.authenticateOwn(mine, challenge)).status, 200);
        refuses(await party.authenticateOwn(mine, challenge), 1090, { user: false });
      }
      const plain = Buffer.from(singleShot(now - HOUR), 'base64url').toString();
      refuses(await party.authenticateOwn(mine, plain), 1090, { user: false });
    });

    it('an appkey authentication accepts any other challenge of the caller once, even for an attempt that fails: 100035 for the second', async () => {
      const mine = await party.holder();
      const challenge = ownChallenge();
      refuses(await party.authenticateOwn(mine, challenge, {}, { signature: () => Buffer.alloc(64) }), 100112);
      const again = await party.authenticateOwn(mine, challenge);
      assert.deepEqual([again.status, again.body.code], [404, 100035]);
    });

    it('challenges of the caller are removed when they can no longer be used', async () => {
      const acme = grove.app.db.of(asTenantId('acme'));
      const remembered = async () => Number((await acme.get<{ total: number }>(REMEMBERED, ['acme']))?.total);
      assert.ok((await remembered()) > 0);
      grove.clock.advance(24 * HOUR + MINUTE);
      await grove.renew();
      await grove.app.jobs.runDue();
      assert.equal(await remembered(), 0);
    });
  });

  describe('an appkey authentication: the user', () => {
    it('an appkey authentication refuses with 502 a user that is not active, at the start and at completion', async () => {
      for (const status of ['DISABLED', 'PENDING_ACTIVE']) {
        const mine = await party.holder();
        const { sessionId, uafProtocolMessage } = await party.start(mine.user, 'authentications');
        await update(mine.user, { status });
        refuses(await grove.send('POST', party.ofUser(mine.user, '/authentications/standard'), {}), 502);
        const response = mine.authenticator.authenticate(uafProtocolMessage);
        refuses(await party.complete(sessionId, { response }), 502);
        refuses(await party.authenticateOwn(mine, ownChallenge()), 502);
      }
    });

    it('an appkey authentication refuses with 2100 a user that is locked, at the start and at completion', async () => {
      const mine = await party.holder();
      const { sessionId, uafProtocolMessage } = await party.start(mine.user, 'authentications');
      await update(mine.user, { status: 'LOCKED' });
      refuses(await grove.send('POST', party.ofUser(mine.user, '/authentications/standard'), {}), 2100);
      const response = mine.authenticator.authenticate(uafProtocolMessage);
      refuses(await party.complete(sessionId, { response }), 2100);
    });

    it('an appkey authentication refuses with 2101 a user whose appkeys are locked, and shows the lock', async () => {
      const mine = await party.holder();
      const spare = await party.start(mine.user, 'authentications');
      for (let at = 1; at <= 5; at++) {
        const answer = await party.authenticate(mine, { signature: () => Buffer.alloc(64) });
        refuses(answer, 100112);
        assert.equal(answer.body.user.lockInfo.modalities.APPKEY.locked, at === 5);
      }
      refuses(await grove.send('POST', party.ofUser(mine.user, '/authentications/standard'), {}), 2101);
      const response = mine.authenticator.authenticate(spare.uafProtocolMessage);
      refuses(await party.complete(spare.sessionId, { response }), 2101);
      refuses(await party.authenticateOwn(mine, ownChallenge()), 2101);
      grove.clock.advance(5 * MINUTE + 1);
      assert.equal((await party.authenticate(mine)).status, 200);
    });
  });

  it('an appkey authentication uses the algorithm of the registration: an assertion that names another is refused with 100112', async () => {
    const mine = await party.holder();
    refuses(await party.authenticate(mine, { signAlgorithm: SIGN.SECP256R1_ECDSA_SHA256_DER }), 100112);
  });
});
