import assert from 'node:assert/strict';
import type { Answer, TestApp } from '../harness.ts';
import { type Authenticator, type AuthenticatorOptions, authenticator, type Faults } from './authenticator.ts';

/** A relying party that calls the server for its users, with its own store and passkey configuration. */
export type RelyingParty = Awaited<ReturnType<typeof relyingParty>>;

export type RelyingPartyOptions = { rpId?: string; config?: object; store?: object; apiKey?: string };

let names = 0;

export async function relyingParty(grove: TestApp, options: RelyingPartyOptions = {}) {
  const { rpId = 'example.org', config = {}, store = {}, apiKey } = options;
  const token = apiKey === undefined ? undefined : await grove.token(apiKey);
  names += 1;
  const storeName = `store ${names}`;
  const base = `/api/identity-store/stores/${encodeURIComponent(storeName)}`;
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    grove.call(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }), ...(token && { token }) });
  const call = (method: string, path: string, body?: unknown) => send(method, `${base}${path}`, body);
  const post = (path: string, body: unknown = {}) => call('POST', path, body);
  const must = async (path: string, body: unknown = {}, status = 201) => {
    const answer = await post(path, body);
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };

  const created = await send('POST', '/api/identity-store/stores', { name: storeName, ...store });
  assert.equal(created.status, 201, created.text);
  await must('/passkeyConfig', { rpId, ...config });

  const origin = rpId === 'localhost' ? 'http://localhost:3000' : `https://login.${rpId}`;
  const ofUser = (userId: string | undefined) => (userId === undefined ? '' : `/users/${userId}`);
  const startRegistration = (userId?: string, body: object = {}, policy = 'default') =>
    post(`${ofUser(userId)}/passkeys/relyingParties/${rpId}/registrations/${policy}`, body);
  const startAuthentication = (userId?: string, body: object = {}, policy = 'default') =>
    post(`${ofUser(userId)}/passkeys/relyingParties/${rpId}/authentications/${policy}`, body);
  const completeRegistration = (sessionId: string, body: object) =>
    post(`/passkeys/registrations/sessions/${sessionId}`, body);
  const authenticate = (sessionId: string, body: object) =>
    post(`/passkeys/authentications/sessions/${sessionId}`, body);

  return {
    rpId,
    origin,
    storeName,
    base,
    call,
    post,
    must,
    startRegistration,
    startAuthentication,
    completeRegistration,
    authenticate,
    user: (body: object = {}) => must('/users', body) as Promise<{ id: string }>,

    /** A whole registration; without a user id, of a new user. */
    async register(userId?: string, device: Partial<AuthenticatorOptions> = {}) {
      const owner = userId ?? (await must('/users')).id;
      const key = authenticator({ origin, ...device });
      const { body } = await startRegistration(owner);
      const answer = await completeRegistration(body.sessionId, { credential: key.create(body.publicKey) });
      assert.equal(answer.status, 200, answer.text);
      return { device: key, userId: owner as string, passkeyId: answer.body.passkey.id as string };
    },

    /** A whole authentication, with the given faults. */
    async login(device: Authenticator, userId?: string, faults: Faults = {}): Promise<Answer> {
      const { body } = await startAuthentication(userId);
      return authenticate(body.sessionId, { credential: device.get(body.publicKey, faults) });
    },
  };
}

/** Asserts that an answer is a refusal with this code. */
export function assertRefused(answer: Answer, code: number, status = 400): void {
  assert.deepEqual([answer.status, answer.body?.code], [status, code], answer.text);
}
