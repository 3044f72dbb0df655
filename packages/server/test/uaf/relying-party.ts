import assert from 'node:assert/strict';
import type { Answer } from '../harness.ts';
import type { TestIdentity } from '../identity.ts';
import { FACET, type Faults, ownRequest, type UafAuthenticator, uafAuthenticator } from './authenticator.ts';

/** A relying party with appkeys in a store of its own, and the calls of its back end. */
export const RP = 'bank.example';
export const APP_ID = 'https://bank.example/facets.json';
export const ANY_POLICY = { accepted: [[{}]] };

export const CONFIG = {
  rpId: RP,
  appId: APP_ID,
  trustedFacets: [FACET, 'android:apk-key-hash:tEbLgYcVWUNZL0aZUHzQ2nN2q2g', 'ios:bundle-id:com.example.bank'],
  registrationPolicies: { standard: ANY_POLICY },
  authenticationPolicies: { standard: ANY_POLICY },
};

// biome-ignore lint/suspicious/noExplicitAny: what the server answers, which the tests look at.
type Body = any;

export type Holder = { user: Body; authenticator: UafAuthenticator };

export async function openRelyingParty(grove: TestIdentity, name: string, config: object = {}) {
  const store = await grove.store(name);
  const created = await grove.send('POST', `${store}/appkeyConfig`, { ...CONFIG, ...config });
  assert.equal(created.status, 201, created.text);
  let users = 0;

  const ofUser = (user: Body, tail: string) => `${store}/users/${user.id}/appkeys/relyingParties/${RP}${tail}`;
  const start = async (user: Body, kind: 'registrations' | 'authentications', body: object = {}) => {
    const started = await grove.send('POST', ofUser(user, `/${kind}/standard`), body);
    assert.equal(started.status, 201, started.text);
    return started.body as { sessionId: string; uafProtocolMessage: string };
  };

  const party = {
    store,
    ofUser,
    ofUserExt: (user: Body, tail: string) =>
      `${store}/users/${encodeURIComponent(user.extId)}/appkeys/relyingParties/${RP}${tail}/ext`,
    user: () => grove.user(store, { extId: `user-${++users}` }),
    start,

    /** Registers with a session of the server. */
    async register(
      user: Body,
      authenticator: UafAuthenticator,
      more: object = {},
      faults: Faults = {},
    ): Promise<Answer> {
      const { sessionId, uafProtocolMessage } = await start(user, 'registrations');
      const response = authenticator.register(uafProtocolMessage, faults);
      return grove.send('POST', `${store}/appkeys/registrations`, { sessionId, response, ...more });
    },

    /** A user with one registered key. */
    async holder(options: Parameters<typeof uafAuthenticator>[0] = {}, more: object = {}): Promise<Holder> {
      const user = await party.user();
      const authenticator = uafAuthenticator(options);
      const done = await party.register(user, authenticator, more);
      assert.equal(done.status, 200, done.text);
      return { user, authenticator };
    },

    complete: (sessionId: string, body: object) =>
      grove.send('POST', `${store}/appkeys/authentications/sessions/${sessionId}`, body),

    /** Authenticates with a session of the server. */
    async authenticate({ user, authenticator }: Holder, faults: Faults = {}, body: object = {}): Promise<Answer> {
      const { sessionId, uafProtocolMessage } = await start(user, 'authentications', body);
      return party.complete(sessionId, { response: authenticator.authenticate(uafProtocolMessage, faults) });
    },

    sessionData: (challenge: string, more: object = {}) => ({
      challenge,
      rpId: RP,
      policy: ANY_POLICY,
      authPolicyName: 'standard',
      ...more,
    }),

    /** Authenticates with a session of the caller. */
    async authenticateOwn(holder: Holder, challenge: string, more: object = {}, faults: Faults = {}): Promise<Answer> {
      const response = holder.authenticator.authenticate(ownRequest('Auth', challenge, APP_ID), faults);
      const sessionData = party.sessionData(challenge, more);
      return grove.send('POST', `${store}/appkeys/authentications`, { sessionData, response });
    },
  };
  return party;
}

export type RelyingParty = Awaited<ReturnType<typeof openRelyingParty>>;

/** `<epoch ms>.<32 random bytes>`, in base64url as UAF asks. */
export function singleShot(at: number): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  return Buffer.from(`${at}.${random}`).toString('base64url');
}

export function ownChallenge(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

/** Expects a refusal, which contains the user. */
export function refuses(answer: Answer, code: number, { user = true } = {}): void {
  assert.deepEqual([answer.status, answer.body?.code], [400, code], answer.text);
  assert.equal(answer.body.user !== undefined, user, answer.text);
}
