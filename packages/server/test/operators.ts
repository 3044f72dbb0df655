import assert from 'node:assert/strict';
import { request } from 'node:http';
import { asTenantId } from '../src/kernel/ids.ts';
import { MAX_OPERATORS } from '../src/operators/links.ts';
import { type Authenticator, authenticator, type Faults } from './authenticator/authenticator.ts';
import type { TestApp } from './harness.ts';
import { type Answer, fetchAnswer } from './record-answers.ts';

/** Operators at the console, with their own authenticators. Their browsers use the address of the tenant. */
export type Person = {
  id: string;
  device: Authenticator;
  /** The cookie of the session. */
  cookie: string;
  call(path: string, init?: PersonRequest): Promise<Answer>;
};

export type PersonRequest = {
  method?: string;
  body?: object;
  headers?: Record<string, string>;
  cookie?: string | null;
};

const COOKIE = 'grove-operator';

/** A browser at the address of the tenant; without a cookie nobody is signed in. */
export async function browse(
  grove: TestApp,
  path: string,
  { method, body, headers = {}, cookie }: PersonRequest = {},
): Promise<Answer> {
  const init = {
    method: method ?? (body ? 'POST' : 'GET'),
    ...(body && { body: JSON.stringify(body) }),
    headers: {
      Host: hostOf(grove),
      Origin: originOf(grove),
      'Sec-Fetch-Site': 'same-origin',
      ...(body && { 'Content-Type': 'application/json' }),
      ...(cookie && { Cookie: `${COOKIE}=${cookie}` }),
      ...headers,
    },
  };
  return fetchAnswer(`${grove.baseUrl}${path}`, init, fetchAtHost);
}

/** `fetch` sets the Host header itself. */
export async function fetchAtHost(
  url: string | URL | Request,
  { method, headers, body }: RequestInit = {},
): Promise<Response> {
  return new Promise((done, fail) => {
    const options = { method: method ?? 'GET', headers: headers as Record<string, string> };
    const clientRequest = request(String(url), options, async (answer) => {
      const text = Buffer.concat(await answer.toArray());
      const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const status = answer.statusCode ?? 0;
      done(new Response(status === 204 || status === 304 ? null : text, { status, headers: pairs }));
    });
    clientRequest.on('error', fail);
    clientRequest.end(body);
  });
}

export function hostOf({ tenantId, baseUrl }: TestApp): string {
  return `${tenantId}.fir.localhost:${new URL(baseUrl).port}`;
}

export function originOf(grove: TestApp): string {
  return `http://${hostOf(grove)}`;
}

export function cookieFrom(answer: Answer): string {
  const [line = ''] = answer.headers.getSetCookie();
  return /^grove-operator=([^;]*)/.exec(line)?.[1] ?? '';
}

export const codeIn = (url: string) => new URL(url).hash.replace('#invite=', '');

/** The first owner, or a person whom the owner invites. */
export async function joinByLink(grove: TestApp, url: string, input: object = {}): Promise<Person> {
  const code = codeIn(url);
  const opened = await browse(grove, '/api/console/invitation/open', { body: { code } });
  assert.equal(opened.status, 200, opened.text);
  const device = authenticator({ origin: originOf(grove) });
  const credential = device.create(opened.body.publicKey);
  const { ceremonyId } = opened.body;
  const joined = await browse(grove, '/api/console/invitation/accept', {
    body: { code, ceremonyId, credential, ...input },
  });
  assert.equal(joined.status, 200, joined.text);
  return personOf(grove, joined.body.operator.id, device, cookieFrom(joined));
}

function personOf(grove: TestApp, id: string, device: Authenticator, cookie: string): Person {
  return {
    id,
    device,
    cookie,
    call: (path, request = {}) =>
      browse(grove, path, { ...request, cookie: request.cookie === undefined ? cookie : request.cookie }),
  };
}

export async function firstOwner(grove: TestApp): Promise<Person> {
  const link = await grove.app.operators.firstOwnerLink(asTenantId(grove.tenantId));
  assert.ok(link);
  return joinByLink(grove, link.url, { name: 'Olga Owner', email: 'olga@acme.com' });
}

export async function invitePerson(
  grove: TestApp,
  owner: Person,
  role: string,
  name = `${role} Person`,
): Promise<Person> {
  const email = `${name.replaceAll(' ', '.').toLowerCase()}@acme.com`;
  const invited = await owner.call('/api/operator-manager/operators', { body: { name, email, role } });
  assert.equal(invited.status, 201, invited.text);
  return joinByLink(grove, invited.body.url);
}

/** The answer to an attempt to sign in. */
export async function signIn(
  grove: TestApp,
  device: Authenticator,
  { faults, cookie, origin }: { faults?: Faults; cookie?: string; origin?: string } = {},
): Promise<Answer> {
  const started = await browse(grove, '/api/console/signIn/start', { body: {} });
  const { ceremonyId, publicKey } = started.body;
  const credential = device.get(publicKey, { ...(origin && { clientData: { origin } }), ...faults });
  return browse(grove, '/api/console/signIn/complete', { body: { ceremonyId, credential }, ...(cookie && { cookie }) });
}

export async function confirm(person: Person): Promise<Answer> {
  const started = await person.call('/api/console/confirmation/start', { body: {} });
  const { ceremonyId, publicKey } = started.body;
  const credential = person.device.get(publicKey);
  return person.call('/api/console/confirmation/complete', { body: { ceremonyId, credential } });
}

/** As many operators as a tenant may have: copies of one, who cannot sign in. */
export async function fillOperators({ app, tenantId }: TestApp, { id }: Person): Promise<void> {
  const same = 'name, name_folded, status, failures, created_at, created_by, last_updated_at, last_updated_by';
  const text = `WITH RECURSIVE copies (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copies WHERE number < $2)
    INSERT INTO operators (tenant_id, id, email, email_folded, role, ${same})
    SELECT tenant_id, 'copy-' || number, '', '', 'Auditor', ${same} FROM operators, copies WHERE tenant_id = $1 AND id = $3`;
  await app.db.of(asTenantId(tenantId)).write((tx) => tx.run({ text }, [tenantId, MAX_OPERATORS, id]));
}

export async function emptyOperators({ app, tenantId }: TestApp): Promise<void> {
  const text = "DELETE FROM operators WHERE tenant_id = $1 AND id LIKE 'copy-%'";
  await app.db.of(asTenantId(tenantId)).write((tx) => tx.run({ text }, [tenantId]));
}
