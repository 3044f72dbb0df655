import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A real provider of accounts on this machine, whose accounts sign in without a prompt. */
export type Account = { sub: string; [claim: string]: unknown };
export type TestProvider = {
  issuer: string;
  add(account: Account): void;
  /**
   * Follows the address to which the browser is redirected, as the person with this account; returns the query of the
   * answer.
   */
  signIn(url: string, account: Account): Promise<string>;
  close(): Promise<void>;
};

const CLIENT = { client_id: 'grove', client_secret: 'the secret of the client' };
export const CLIENT_SECRET = CLIENT.client_secret;

export async function openTestProvider(redirectUrl: string): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, Account>();
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [redirectUrl], token_endpoint_auth_method: 'client_secret_post' }],
    claims: { openid: ['sub', 'groups'], profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => {
      const account = accounts.get(sub);
      return account && { accountId: sub, claims: () => account };
    },
  });
  const answer = provider.callback();
  server.on('request', async (request, response) => {
    const sub = /account=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    const { prompt, params, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      return provider.interactionFinished(request, response, { login: { accountId: sub ?? '' } });
    }
    const grant =
      (grantId && (await provider.Grant.find(grantId))) || newGrant(provider, sub ?? '', String(params.client_id));
    grant.addOIDCScope(String(params.scope));
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  });
  return {
    issuer,
    add: (account) => accounts.set(account.sub, account),
    async signIn(url, account) {
      accounts.set(account.sub, account);
      const jar = new Map([['account', account.sub]]);
      let next = url;
      for (let hops = 0; hops < 10; hops += 1) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const { status, headers } = await fetch(next, { redirect: 'manual', headers: { cookie } });
        for (const line of headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          jar.set(name, value);
        }
        const location = headers.get('location');
        if (!location) throw new Error(`the provider answered ${status}`);
        next = new URL(location, next).href;
        if (next.startsWith(redirectUrl)) return new URL(next).search;
      }
      throw new Error('the provider goes round in circles');
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function newGrant(provider: Provider, accountId: string, clientId: string) {
  return new provider.Grant({ accountId, clientId });
}
