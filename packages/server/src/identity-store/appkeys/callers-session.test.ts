import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { AAID, ownRequest, uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import {
  APP_ID,
  openRelyingParty,
  ownChallenge,
  type RelyingParty,
  RP,
  refuses,
} from '../../../test/uaf/relying-party.ts';
import { MODE } from './uaf/registry.ts';

/** A caller that manages the session itself is refused for the same reasons as one that leaves it to the server. */
describe('an appkey authentication with a session of the caller', () => {
  const places = testPlaces();
  let grove: TestIdentity;
  let party: RelyingParty;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    party = await openRelyingParty(grove, 'Bank');
  });
  after(() => grove.stop());

  const send = (body: object) => grove.send('POST', `${party.store}/appkeys/authentications`, body);
  const sessionDataOf = (user: { extId: string }) => ({
    ...party.sessionData(ownChallenge()),
    username: user.extId,
  });

  it('an appkey authentication with a session of the caller is refused with 1102, 1104 and 1105 for failures that the client reports', async () => {
    const { user } = await party.holder();
    for (const [code, error] of [
      [1102, {}],
      [1104, { errorCode: 0xff }],
      [1105, { errorCode: 3 }],
    ] as const) {
      refuses(await send({ sessionData: sessionDataOf(user), error }), code);
    }
  });

  it('an appkey authentication with a session of the caller is refused with 1017 for a registration, 1091 without a message, 1092 for an empty one and 1093 for several', async () => {
    const mine = await party.holder();
    const sessionData = sessionDataOf(mine.user);
    const registration = uafAuthenticator().register(ownRequest('Reg', sessionData.challenge, APP_ID));
    refuses(await send({ sessionData, response: registration }), 1017);
    refuses(await send({ sessionData: sessionDataOf(mine.user), response: { uafProtocolMessage: '[' } }), 1091);
    const user = { username: mine.user.extId };
    refuses(await party.authenticateOwn(mine, ownChallenge(), user, { list: () => [] }), 1092);
    refuses(await party.authenticateOwn(mine, ownChallenge(), user, { list: (one) => [one, one] }), 1093);
  });

  it('an appkey authentication with a session of the caller is refused with 1026 for a foreign application, 1061 for a clone and 100113 for a transaction that was not requested', async () => {
    const mine = await party.holder();
    const own = (faults: object) => party.authenticateOwn(mine, ownChallenge(), {}, faults);
    refuses(await own({ final: { facetID: 'https://evil.example' } }), 1026);
    await own({ counter: 5 });
    refuses(await own({ counter: 4 }), 1061);
    refuses(await own({ counter: 6, transactionHash: randomBytes(32), mode: MODE.CONFIRMED }), 100113);
  });

  it('an appkey authentication with a session of the caller is refused with 1035 for a type of key that is no longer accepted, and with 2100 for a locked user', async () => {
    const mine = await party.holder();
    const configure = (change: object) => grove.send('POST', `${party.store}/appkeyConfig/${RP}`, change);
    await configure({ keyTypes: ['BIOMETRIC'] });
    refuses(await party.authenticateOwn(mine, ownChallenge()), 1035);
    await configure({ keyTypes: ['DEVICE', 'BIOMETRIC'] });
    await grove.send('POST', `${party.store}/users/${mine.user.id}`, { status: 'LOCKED' });
    refuses(await party.authenticateOwn(mine, ownChallenge()), 2100);
  });

  it('an appkey authentication with a session of the server is refused with 100111 by its policy as well', async () => {
    const mine = await party.holder();
    const second = uafAuthenticator({ aaid: 'FFFF#0002' });
    assert.equal((await party.register(mine.user, second)).status, 200);
    const first = { accepted: [[{ aaid: [AAID] }]] };
    await grove.send('POST', `${party.store}/appkeyConfig/${RP}`, { authenticationPolicies: { standard: first } });
    const { sessionId, uafProtocolMessage } = await party.start(mine.user, 'authentications');
    const response = second.authenticate(uafProtocolMessage);
    refuses(await party.complete(sessionId, { response }), 100111);
  });
});
