import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { browse, confirm, firstOwner, invitePerson, type Person } from '../../../test/operators.ts';

const SETTINGS = '/api/operator-manager/singleSignOn';
const START = '/api/console/singleSignOn/start';
const COMPLETE = '/api/console/singleSignOn/complete';

/** A provider whose answers and times the test controls. */
type HostileProvider = {
  issuer: string;
  /** The claims of the next ID token, besides the required ones. */
  claims: Record<string, unknown>;
  /** Called for each request for a token, before it is answered. */
  beforeToken(): Promise<void>;
  /** Called for each request for the metadata of the provider. */
  beforeDiscovery(): Promise<void>;
  nonce: string;
  close(): Promise<void>;
};

async function openHostileProvider(): Promise<HostileProvider> {
  const server: Server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: HostileProvider = {
    issuer,
    claims: {},
    nonce: '',
    beforeToken: async () => undefined,
    beforeDiscovery: async () => undefined,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const json = (body: object) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    if (request.method === 'GET') {
      await provider.beforeDiscovery();
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      return json({ issuer, ...endpoints, jwks_uri: `${issuer}/jwks` });
    }
    await provider.beforeToken();
    const now = Math.floor(Date.now() / 1000);
    const token = { iss: issuer, aud: 'grove', iat: now, exp: now + 300, nonce: provider.nonce, ...provider.claims };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const idToken = `${part({ alg: 'RS256' })}.${part(token)}.${Buffer.from('x').toString('base64url')}`;
    return json({ access_token: 'x', token_type: 'Bearer', id_token: idToken });
  };
  return provider;
}

onBothEngines('single sign-on with a hostile provider', (_engine, places) => {
  let grove: TestApp;
  let owner: Person;
  let provider: HostileProvider;
  before(async () => {
    grove = await openTestApp(await places.create(), { environment: { GROVE_OUTBOUND_ALLOW: '127.0.0.1' } });
    owner = await firstOwner(grove);
    provider = await openHostileProvider();
  });
  after(async () => {
    await grove.stop();
    await provider.close();
  });

  const settings = (role = 'Administrator') => ({
    issuer: provider.issuer,
    clientId: 'grove',
    roles: [{ group: 'admins', role }],
  });
  const set = async (body: object) => {
    await confirm(owner);
    const { status, text } = await owner.call(SETTINGS, { body });
    assert.equal(status, 200, text);
  };
  const signIn = async (claims: Record<string, unknown>, meanwhile = async () => {}) => {
    const started = await browse(grove, START, { body: {} });
    const [line = ''] = started.headers.getSetCookie();
    const { searchParams } = new URL(started.body.url);
    provider.nonce = searchParams.get('nonce') ?? '';
    provider.claims = { groups: ['admins'], ...claims };
    const query = `?code=x&state=${searchParams.get('state')}`;
    await meanwhile();
    return browse(grove, COMPLETE, { body: { query }, headers: { Cookie: /^([^;]+)/.exec(line)?.[1] ?? '' } });
  };
  const operatorCount = async () => (await owner.call('/api/operator-manager/operators')).body.totalElements;

  it('100236: a subject that the database cannot store unchanged creates no account', async () => {
    await set(settings());
    for (const sub of ['a\u0000b', '\ud800', '\udfff!', 'a\nb'])
      assert.equal((await signIn({ sub })).body.code, 100236, JSON.stringify(sub));
    const { body } = await signIn({ sub: 'eve', name: `${'x'.repeat(99)}\u{1f600}`, email: '\ud800@acme.com' });
    assert.equal(body.operator.name.isWellFormed(), true);
    assert.equal(body.operator.email, undefined);
  });

  it('100236: neither an empty subject nor a token for another client creates an account', async () => {
    for (const claims of [{ sub: '' }, { sub: ' ' }, { sub: 'mallory', azp: 'other' }, { sub: 'mallory', azp: null }])
      assert.equal((await signIn(claims)).body.code, 100236, JSON.stringify(claims));
    assert.equal((await signIn({ sub: 'eve', azp: 'grove' })).status, 200);
  });

  it('100237: claims of other types, and names of the prototype, match no group', async () => {
    for (const groups of [{ admins: true }, [['admins']], 1, null, 'admin', ['Admins', 'admins ']])
      assert.equal((await signIn({ sub: 'mallory', groups })).body.code, 100237, JSON.stringify(groups));
    for (const groupsClaim of ['__proto__', 'constructor', 'toString']) {
      await set({ ...settings(), groupsClaim });
      assert.equal((await signIn({ sub: 'mallory' })).body.code, 100237, groupsClaim);
    }
  });

  it('100236: an ID token of another issuer, another client, another sign-in or the past signs nobody in', async () => {
    await set(settings());
    const others = [{ iss: 'https://other.example' }, { aud: 'other' }, { nonce: 'x' }, { exp: 1 }, { sub: 1 }];
    for (const claims of others)
      assert.equal((await signIn({ sub: 'mallory', ...claims })).body.code, 100236, JSON.stringify(claims));
  });

  it('7: an operator who lost the role, or was suspended, while the provider answered, cannot change the settings', async () => {
    for (const [name, change] of [
      ['Adam', { role: 'Reviewer' }],
      ['Anna', { status: 'SUSPENDED' }],
    ] as const) {
      const administrator = await invitePerson(grove, owner, 'Administrator', name);
      const another = await openHostileProvider();
      another.beforeDiscovery = async () => {
        const { status, text } = await owner.call(`/api/operator-manager/operators/${administrator.id}`, {
          body: change,
        });
        assert.equal(status, 200, text);
      };
      const { body } = await administrator.call(SETTINGS, { body: { ...settings(), issuer: another.issuer } });
      assert.equal(body.code, 7);
      await another.close();
    }
    assert.equal((await owner.call(SETTINGS)).body.issuer, provider.issuer);
  });

  it('a provider that does not answer does not block other writes', async () => {
    const another = await openHostileProvider();
    const question = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    another.beforeDiscovery = () => {
      question.resolve();
      return answer.promise;
    };
    await confirm(owner);
    const setting = owner.call(SETTINGS, { body: { ...settings(), issuer: another.issuer } });
    await question.promise;
    const body = JSON.stringify({ name: 'meanwhile', permissions: [] });
    const creation = await grove.call('/api/arthr/apiKeys', { method: 'POST', token: await grove.token(), body });
    assert.equal(creation.status, 201, creation.text);
    answer.resolve();
    assert.equal((await setting).status, 200);
    await set(settings());
    await another.close();
  });

  it('100236: a code of one provider is not sent to the provider that has replaced it', async (test) => {
    const another = await openHostileProvider();
    test.after(another.close);
    let tokenRequests = 0;
    another.beforeToken = async () => {
      tokenRequests++;
    };
    const { body } = await signIn({ sub: 'eve' }, () => set({ ...settings(), issuer: another.issuer }));
    assert.deepEqual([body.code, tokenRequests], [100236, 0]);
    await set(settings());
  });

  it('100035: an answer that arrives after single sign-on was removed or changed signs nobody in', async () => {
    const before = await operatorCount();
    await confirm(owner);
    provider.beforeToken = async () => {
      assert.equal((await owner.call(SETTINGS, { body: settings('Reviewer') })).status, 200);
    };
    assert.equal((await signIn({ sub: 'late' })).body.code, 100035);
    provider.beforeToken = async () => {
      assert.equal((await owner.call(SETTINGS, { method: 'DELETE' })).status, 204);
    };
    assert.equal((await signIn({ sub: 'late' })).body.code, 100035);
    assert.equal(await operatorCount(), before);
  });
});
