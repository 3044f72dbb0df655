import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OutboundRequest } from '../../engines/outbound/outbound.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { openProviders } from './provider.ts';

const ISSUER = 'https://provider.example';
const SSO = { issuer: ISSUER, clientId: 'grove', clientSecretName: 's', scopes: [], groupsClaim: 'groups', roles: [] };

describe('a provider of single sign-on', () => {
  it('a provider of single sign-on gets the client secret only at the address for which the secret was requested, whatever address it names later', async () => {
    let now = 0;
    let tokenHost = 'tokens.example';
    const posts: string[] = [];
    const send = async ({ url, method }: OutboundRequest) => {
      if (method === 'POST') posts.push(url);
      const endpoints = { authorization_endpoint: `${ISSUER}/a`, token_endpoint: `https://${tokenHost}/token` };
      const body = Buffer.from(JSON.stringify({ issuer: ISSUER, ...endpoints }));
      return { status: 200, body, milliseconds: 0 };
    };
    const providers = openProviders({ outbound: { send }, clock: { now: () => now } as never });
    const flow = { secret: 'secret of the sign-in', redirectUrl: 'https://acme.example/console/single-sign-on' };
    const url = await providers.startUrl(SSO, { ...flow, again: false });
    const hosts: string[] = [];
    const clientSecretFor = async (tokenEndpoint: string) => {
      hosts.push(tokenEndpoint);
      // The cached metadata expires, and another sign-in reads it again.
      now += 11 * MINUTE;
      tokenHost = 'thief.example';
      await providers.tokenEndpointOf(SSO);
      return 'the secret of the client';
    };
    const query = `?code=x&state=${new URL(url).searchParams.get('state')}`;
    await assert.rejects(providers.claimsOf(SSO, { ...flow, query, clientSecretFor }), { code: 100236 });
    assert.deepEqual([hosts, posts], [['https://tokens.example/token'], ['https://tokens.example/token']]);
  });
});
