import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createClient, isGroveError } from 'grove-idv-sdk';

/**
 * The back end of a page that registers passkeys and logs in with them. The page talks to this server, and this server
 * to Grove: the API key never leaves it.
 *
 *   GROVE_URL=http://localhost:8080 GROVE_API_KEY=grv_test_… node examples/passkey/server.ts
 */
const STORE = 'passkey-example';
const MAX_BODY_BYTES = 65_536;
const page = readFileSync(new URL('./index.html', import.meta.url));

type Client = ReturnType<typeof createClient>;
type Outcome = NonNullable<Parameters<Client['passkeys']['authenticate']>[0]['body']>;

/** Makes the store and the relying party where they are missing. */
export async function prepare(client: Client, rpId: string): Promise<void> {
  const unlessThere = (error: unknown) => {
    if (!isGroveError(error) || error.code !== 100014) throw error;
  };
  await client.stores.create({ body: { name: STORE } }).catch(unlessThere);
  const authenticatorSelection = { residentKey: 'required', userVerification: 'required' } as const;
  const registrationPolicies = { default: { authenticatorSelection } };
  const body = { rpId, rpName: 'Passkey example', registrationPolicies };
  await client.passkeys.createConfig({ storeName: STORE, body }).catch(unlessThere);
}

export function passkeyServer(client: Client, rpId: string): RequestListener {
  const storeName = STORE;
  const routes: Record<string, (body: never, sessionId: string) => Promise<object>> = {
    // A name that is taken is refused here: whoever has it adds passkeys only once logged in.
    async '/registrations'({ name }: { name: string }) {
      await client.users.create({ storeName, body: { extId: name } });
      const user = { extId: name };
      return client.passkeys.startRegistration({
        storeName,
        rpId,
        regPolicyName: 'default',
        user,
        body: { userName: name },
      });
    },
    async '/registrations/'(outcome: Outcome, sessionId: string) {
      const { user } = await client.passkeys.completeRegistration({ storeName, sessionId, body: outcome });
      return { name: user.extId };
    },
    '/logins': (body: { mediation?: 'conditional' }) =>
      client.passkeys.startAuthentication({ storeName, rpId, authPolicyName: 'default', body }),
    async '/logins/'(outcome: Outcome, sessionId: string) {
      const { user } = await client.passkeys.authenticate({ storeName, sessionId, body: outcome });
      // This is where a session of your own begins.
      return { name: user.extId };
    },
  };

  return async (request, response) => {
    if (request.method !== 'POST') return void response.setHeader('Content-Type', 'text/html').end(page);
    const [, route = '', sessionId = ''] = /^(\/\w+\/?)(\w*)$/.exec(request.url ?? '') ?? [];
    try {
      const body = await bodyOf(request);
      const serve = routes[route];
      if (serve) send(response, 200, await serve(body as never, sessionId));
      else send(response, 404, { message: 'There is nothing here' });
    } catch (error) {
      const [status, code, message] = isGroveError(error)
        ? [error.status, error.code, error.message]
        : [500, 1, 'Sorry'];
      send(response, status, { code, message });
    }
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_BODY_BYTES) throw new Error('the body is too large');
  }
  return JSON.parse(text);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

if (import.meta.main) {
  const { GROVE_URL = 'http://localhost:8080', GROVE_API_KEY = '', PORT = '3000' } = process.env;
  const client = createClient({ baseUrl: GROVE_URL, apiKey: GROVE_API_KEY });
  await prepare(client, 'localhost');
  createServer(passkeyServer(client, 'localhost')).listen(Number(PORT), 'localhost', () => {
    console.log(`Open http://localhost:${PORT}`);
  });
}
