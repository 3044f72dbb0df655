import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { authenticator } from '../../../test/authenticator/authenticator.ts';
import { codeOf } from '../../../test/end-user.ts';
import { type Answer, onBothEngines } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import { openRelyingParty, type RelyingParty } from '../../../test/uaf/relying-party.ts';

const RP_ID = 'example.org';
const ORIGIN = 'https://example.org';

type Kind = {
  name: string;
  /** Opens a session, and returns its id and the response that completes it. */
  open(): Promise<{ id: string; answer: object }>;
  finish(id: string, answer: object): Promise<Answer>;
};

onBothEngines('sessions of every kind', (_engine, places) => {
  let grove: TestIdentity;
  let party: RelyingParty;
  let kinds: Kind[];

  before(async () => {
    grove = await openTestIdentity(await places.create());
    party = await openRelyingParty(grove, 'kinds');
    await grove.send('POST', `${party.store}/passkeyConfig`, { rpId: RP_ID });
    const holder = await party.holder();
    const device = authenticator({ origin: ORIGIN });
    const passkeys = `${party.store}/users/${holder.user.id}/passkeys/relyingParties/${RP_ID}`;
    const started = async (path: string) => {
      const { status, body, text } = await grove.send('POST', path, {});
      assert.equal(status, 201, text);
      return body;
    };
    const sessions = `${party.store}/passkeys`;
    const registered = await started(`${passkeys}/registrations/default`);
    const path = `${sessions}/registrations/sessions/${registered.sessionId}`;
    const done = await grove.send('POST', path, { credential: device.create(registered.publicKey) });
    assert.equal(done.status, 200, done.text);
    kinds = [
      {
        name: 'registration of a passkey',
        async open() {
          const { sessionId, publicKey } = await started(`${passkeys}/registrations/default`);
          return { id: sessionId, answer: { credential: authenticator({ origin: ORIGIN }).create(publicKey) } };
        },
        finish: (id, answer) => grove.send('POST', `${sessions}/registrations/sessions/${id}`, answer),
      },
      {
        name: 'authentication with a passkey',
        async open() {
          const { sessionId, publicKey } = await started(`${passkeys}/authentications/default`);
          return { id: sessionId, answer: { credential: device.get(publicKey) } };
        },
        finish: (id, answer) => grove.send('POST', `${sessions}/authentications/sessions/${id}`, answer),
      },
      {
        name: 'registration of an appkey',
        async open() {
          const { sessionId, uafProtocolMessage } = await party.start(holder.user, 'registrations');
          return { id: sessionId, answer: { response: uafAuthenticator().register(uafProtocolMessage) } };
        },
        finish: (sessionId, answer) =>
          grove.send('POST', `${party.store}/appkeys/registrations`, { sessionId, ...answer }),
      },
      {
        name: 'authentication with an appkey',
        async open() {
          const { sessionId, uafProtocolMessage } = await party.start(holder.user, 'authentications');
          return { id: sessionId, answer: { response: holder.authenticator.authenticate(uafProtocolMessage) } };
        },
        finish: (id, answer) => party.complete(id, answer),
      },
    ];
  });
  after(() => grove.stop());

  it('100035: a session of one kind is refused by the operations of every other, stays usable, and works once', async () => {
    for (const own of kinds) {
      const { id, answer } = await own.open();
      for (const other of kinds.filter((kind) => kind !== own)) {
        // Tried with a response that the other kind accepts, and with its own response if the other kind has such
        // members.
        const fitting = await other.open();
        const takesMembers = Object.keys(answer).every((name) => name in fitting.answer);
        for (const response of [fitting.answer, ...(takesMembers ? [answer] : [])]) {
          const attempt = await other.finish(id, response);
          assert.equal(attempt.body.code, 100035, `${own.name} as ${other.name}: ${attempt.text}`);
        }
      }
      const finished = await own.finish(id, answer);
      assert.equal(finished.status, 200, `${own.name}: ${finished.text}`);
      assert.equal((await own.finish(id, answer)).body.code, 100035, `${own.name} twice`);
    }
  });

  it('100035, 100055: a session of an identity store opens no journey, and neither the id nor the code of a journey is accepted as a session', async () => {
    const token = { name: 'kinds', processDefnName: 'document-and-selfie' };
    const processes = '/api/process-manager';
    const creation = await grove.call(`${processes}/processTokens`, { method: 'POST', body: JSON.stringify(token) });
    const create = `${processes}/processInstances/create?pt=${creation.body.id}`;
    const { body } = await grove.call(create, { method: 'POST' });
    const ids = [creation.body.id, body.processInstanceId, codeOf(body.redirectUrl)];
    for (const kind of kinds) {
      const { id, answer } = await kind.open();
      for (const other of ids) assert.equal((await kind.finish(other, answer)).body.code, 100035, kind.name);
      const redeemed = await grove.call('/api/journey/sessions', {
        method: 'POST',
        token: null,
        body: JSON.stringify({ code: id }),
      });
      assert.equal(redeemed.body.code, 100055, kind.name);
    }
  });

  it('100027, 100035: a session is unknown in other tenants and in the other environment', async () => {
    const [, authentication] = kinds as [Kind, Kind];
    const { id, answer } = await authentication.open();
    const path = `${party.store}/passkeys/authentications/sessions/${id}`;
    for (const token of [grove.ofOther, grove.inTest]) {
      assert.equal((await grove.send('POST', path, answer, token)).body.code, 100027);
      await grove.send('POST', '/stores', { name: 'kinds' }, token);
      assert.equal((await grove.send('POST', path, answer, token)).body.code, 100035);
    }
    assert.equal((await authentication.finish(id, answer)).status, 200);
  });
});
