import { createHmac } from 'node:crypto';
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import type { Outbound } from '../../engines/outbound/outbound.ts';
import { boundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, MINUTE } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { SingleSignOn } from './settings.repository.ts';

/**
 * Talks to the company's identity provider by OpenID Connect: authorization code flow with PKCE, state and nonce. A
 * tenant names the provider, so every request leaves by the outbound door.
 */
export type Providers = {
  /** The address that receives the client secret. Refuses with 100235 if there is no provider at the issuer's address. */
  tokenEndpointOf(sso: SingleSignOn): Promise<string>;
  startUrl(sso: SingleSignOn, flow: Flow & { again: boolean }): Promise<string>;
  /** Refuses with 100235 and 100236. */
  claimsOf(sso: SingleSignOn, flow: Flow & { query: string; clientSecretFor: ClientSecretFor }): Promise<Claims>;
};

/** The secret that may be sent to this address; undefined for a public client. */
export type ClientSecretFor = (tokenEndpoint: string) => Promise<string | undefined>;

type Flow = {
  /** A secret of this sign-in, from which state, nonce and verifier are derived. */
  readonly secret: string;
  readonly redirectUrl: string;
};
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** The provider's metadata seldom changes, and anybody may begin to sign in. */
const METADATA_MS = 10 * MINUTE;
const MAX_PROVIDERS = 200;

export function openProviders({ outbound, clock }: { outbound: Pick<Outbound, 'send'>; clock: Clock }): Providers {
  const cache = boundedMap<string, { readAt: number; metadata: Promise<ServerMetadata> }>(MAX_PROVIDERS);
  const fetchOutside = fetchBy(outbound);

  const metadataOf = async (sso: SingleSignOn): Promise<ServerMetadata> => {
    const before = cache.get(sso.issuer);
    const isFresh = before && Math.abs(clock.now() - before.readAt) < METADATA_MS;
    const metadata = isFresh ? before.metadata : discover(sso, fetchOutside);
    if (!isFresh) cache.set(sso.issuer, { readAt: clock.now(), metadata });
    try {
      return await metadata;
    } catch (error) {
      cache.delete(sso.issuer);
      throw notAnswering(error);
    }
  };

  /** The secret is sent only to the address for which it was read: the provider may name another one next time. */
  const configure = async (sso: SingleSignOn, clientSecretFor?: ClientSecretFor): Promise<Configuration> => {
    const client = await import('openid-client');
    const metadata = await metadataOf(sso);
    const secret = await clientSecretFor?.(metadata.token_endpoint as string);
    const how = secret === undefined ? client.None() : client.ClientSecretPost(secret);
    const configuration = new client.Configuration(metadata, sso.clientId, undefined, how);
    configuration[client.customFetch] = fetchOutside;
    for (const each of plainIfAllowed(client, sso.issuer).execute) each(configuration);
    return configuration;
  };

  return {
    tokenEndpointOf: async (sso) => (await metadataOf(sso)).token_endpoint as string,

    async startUrl(sso, { secret, redirectUrl, again }) {
      const client = await import('openid-client');
      const { state, nonce, verifier } = valuesOf(secret, sso);
      const url = client.buildAuthorizationUrl(await configure(sso), {
        redirect_uri: redirectUrl,
        scope: ['openid', ...sso.scopes].join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(again && { prompt: 'login', max_age: '0' }),
      });
      return url.href;
    },

    async claimsOf(sso, { secret, redirectUrl, query, clientSecretFor }) {
      const client = await import('openid-client');
      const { state, nonce, verifier } = valuesOf(secret, sso);
      const configuration = await configure(sso, clientSecretFor);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      try {
        const answer = new URL(`?${query.replace(/^\?/, '')}`, redirectUrl);
        const claims = (await client.authorizationCodeGrant(configuration, answer, checks)).claims();
        if (claims) return claims;
      } catch (error) {
        throw new ApiError(100236, { log: reasonOf(error) });
      }
      throw new ApiError(100236, { log: 'no ID token' });
    },
  };
}

/** Sends the library's requests through the outbound door. */
function fetchBy(outbound: Pick<Outbound, 'send'>): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await outbound.send({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      wantBody: true,
      headers: { ...(body instanceof URLSearchParams && FORM), ...headers },
      ...(body && { body: String(body) }),
      ...(signal && { signal }),
    });
    if (answer.fault !== undefined) throw new Error(`the provider cannot be reached: ${answer.fault}`);
    const bytes = answer.body?.length ? new Uint8Array(answer.body) : null;
    return new Response(bytes, { status: answer.status, headers: { 'content-type': 'application/json' } });
  };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };

type Library = typeof import('openid-client');

/** The outbound door decides whether an address without TLS may be called, not the library. */
function plainIfAllowed({ allowInsecureRequests }: Library, issuer: string) {
  return { execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [] };
}

async function discover({ issuer, clientId }: SingleSignOn, fetchOutside: CustomFetch): Promise<ServerMetadata> {
  const client = await import('openid-client');
  const options = { [client.customFetch]: fetchOutside, ...plainIfAllowed(client, issuer) };
  const configuration = await client.discovery(new URL(issuer), clientId, undefined, client.None(), options);
  const metadata = configuration.serverMetadata();
  ensureWebAddress(metadata.authorization_endpoint);
  ensureWebAddress(metadata.token_endpoint);
  return metadata;
}

/** Ensures that the provider's address is a web address, not a script. */
function ensureWebAddress(address: string | undefined): void {
  const { protocol } = new URL(address ?? 'missing:');
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`the provider names an endpoint of ${protocol}`);
}

function notAnswering(error: unknown): ApiError {
  return new ApiError(100235, { log: reasonOf(error) });
}

function reasonOf(error: unknown): string {
  const { message = '', code = '', error: word = '' } = error as { message?: string; code?: string; error?: string };
  return [code, word, message].filter(Boolean).join(' ').slice(0, 300);
}

/**
 * Derives three values that nobody can guess and that need not be stored. They depend on this client and provider: if
 * the settings change meanwhile, the state does not match, and no code of one provider is sent to another (mix-up
 * attack).
 */
function valuesOf(secret: string, { issuer, clientId }: SingleSignOn) {
  const derive = (label: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([label, issuer, clientId]))
      .digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}
