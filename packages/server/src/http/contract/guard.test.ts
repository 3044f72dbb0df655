import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, operations } from '@grove/contract';
import { testClock } from '../../../test/harness.ts';
import { BEARER, openTestHttp, type TestHttp } from '../../../test/http.ts';
import type { JourneyPrincipal } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';

const INSTANCE = newId(1_700_000_000_000);
const COOKIE = `grove-journey-${INSTANCE}=good`;

/** The only valid cookie, for one instance of acme. */
async function journeySession(instanceId: string, value: string): Promise<JourneyPrincipal> {
  if (instanceId !== INSTANCE || value !== 'good') throw new ApiError(100054);
  return { tenantId: asTenantId('acme'), sessionId: 'session', instanceId, state: 'ACTIVE', handoff: 'NONE' };
}

type HandlerCall = { context: { tenantId?: string; session?: JourneyPrincipal }; input: { body: unknown } };

describe('who may call', () => {
  let http: TestHttp;
  let lastCall: HandlerCall | undefined;
  const note = (answer: unknown) => (context: HandlerCall['context'], input: HandlerCall['input']) => {
    lastCall = { context, input };
    return answer;
  };
  before(async () => {
    http = await openTestHttp({
      journeySession,
      db: { of: (tenantId: string) => ({ tenantId }) } as never,
      handlers: {
        journey: {
          get: note({}),
          denyHandoff: note(undefined),
          uploadImage: note({ name: 'front', sha256: '', bytes: 0 }),
          createSession: note({ processInstanceId: INSTANCE, expiringDtm: '' }),
        },
        processServer: { followProcess: note(undefined) },
      },
    });
  });
  after(() => http.stop());
  const path = `/api/journey/${INSTANCE}`;
  const codeOf = async (url: string, init: RequestInit = {}) => {
    lastCall = undefined;
    const { status, body } = await http.call(url, init);
    return body?.code ?? status;
  };

  it('100054: a journey is opened only by its own cookie, and the handler gets the session from it', async () => {
    assert.notEqual(await codeOf(path, { headers: { Cookie: `a=b; ${COOKIE}; c=d` } }), 100054);
    assert.deepEqual([lastCall?.context.tenantId, lastCall?.context.session?.sessionId], ['acme', 'session']);
    const other = newId(1_700_000_000_001);
    for (const cookie of [
      undefined,
      '',
      `grove-journey-${INSTANCE}=`,
      `grove-journey-${INSTANCE}=bad`,
      `__Host-grove-journey-${INSTANCE}=good`,
      `Grove-Journey-${INSTANCE}=good`,
      `grove-journey-${other}=good`,
    ]) {
      assert.equal(await codeOf(path, { headers: cookie === undefined ? {} : { Cookie: cookie } }), 100054, cookie);
      assert.equal(lastCall, undefined);
    }
    assert.equal(await codeOf(`/api/journey/${other}`, { headers: { Cookie: `grove-journey-${other}=good` } }), 100054);
    assert.equal(await codeOf('/api/journey/nonsense', { headers: { Cookie: COOKIE } }), 100054);
  });

  it('100054: a bearer token does not open an operation of a journey, and the answer does not ask for a token', async () => {
    for (const { operation, id } of operations()) {
      if (operation.auth !== 'journey') continue;
      for (const { path: template } of addressesOf(operation)) {
        const url = template.replace('{processInstanceId}', INSTANCE).replace(/\{\w+\}/g, 'x');
        const answer = await http.call(url, { method: operation.method, headers: { Authorization: BEARER } });
        assert.deepEqual([answer.status, answer.body.code], [401, 100054], id);
        assert.equal(answer.headers.get('www-authenticate'), 'Cookie');
      }
    }
  });

  it('100008: a cookie does not open an operation that needs a bearer token', async () => {
    let count = 0;
    for (const { operation, id } of operations()) {
      if (!operation.permission) continue;
      for (const { path: template } of addressesOf(operation)) {
        const url = template.replace(/\{\w+\}/g, INSTANCE);
        const answer = await http.call(url, { method: operation.method, headers: { Cookie: COOKIE } });
        assert.deepEqual([answer.status, answer.body.code], [401, 100008], id);
        count += 1;
      }
    }
    assert.ok(count > 80);
  });

  it('100054: a host that names another tenant than the cookie is refused, but not one that names no tenant', async () => {
    const { port } = new URL(http.baseUrl);
    const ask = (host: string) =>
      http.http
        .inject({ url: path, headers: { host: `${host}:${port}`, cookie: COOKIE } })
        .then(({ statusCode }) => statusCode);
    assert.equal(await ask('other.fir.localhost'), 401);
    assert.notEqual(await ask('acme.fir.localhost'), 401);
    assert.notEqual(await ask('localhost'), 401);
  });

  it('100067: a request that changes something must come from the server’s own pages', async () => {
    const { host } = new URL(http.baseUrl);
    const deny = (headers: Record<string, string>) =>
      http.http.inject({ method: 'POST', url: `${path}/handoffs/deny`, headers: { host, cookie: COOKIE, ...headers } });
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin', origin: `http://${host}` },
      { 'sec-fetch-site': 'none' },
      { origin: `http://${host.toUpperCase()}` },
    ]) {
      assert.equal((await deny(headers)).statusCode, 204, JSON.stringify(headers));
    }
    lastCall = undefined;
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': '' },
      { origin: 'null' },
      { origin: '' },
      { origin: 'https://evil.example' },
      { origin: `https://${host}` },
      { origin: `ws://${host}` },
      { origin: `blob:http://evil.example/1` },
      { origin: `http://${host}.evil.example` },
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    ]) {
      const answer = await deny(headers);
      assert.deepEqual([answer.statusCode, answer.json().code], [403, 100067], JSON.stringify(headers));
    }
    assert.equal(lastCall, undefined);
  });

  it('100067: a page of another site cannot create a session, but a link may be followed from any site', async () => {
    const post = (url: string) =>
      http.http.inject({ method: 'POST', url, headers: { host: 'localhost', origin: 'https://evil.example' } });
    assert.equal((await post('/api/journey/sessions')).json().code, 100067);
    assert.equal((await post('/api/process-server/startProcess?pi=1&c=2')).statusCode, 303);
  });

  it('100006: an upload accepts the declared types, as bytes; other operations accept only JSON', async () => {
    const upload = (type: string | undefined, body: Uint8Array | string) =>
      codeOf(`${path}/steps/document/images/front`, {
        method: 'POST',
        body: body as string,
        headers: { Cookie: COOKIE, ...(type !== undefined && { 'Content-Type': type }) },
      });
    for (const type of [
      'image/jpeg',
      'IMAGE/PNG',
      'image/webp; q=1',
      'application/json',
      'application/json; charset=utf-8',
    ]) {
      assert.equal(await upload(type, new Uint8Array([0xff, 0, 0x80])), 200, type);
      const body = lastCall?.input.body as { contentType: string; bytes: Buffer };
      assert.equal(body.contentType, type.toLowerCase().replace(/;.*/, ''));
      assert.deepEqual([...body.bytes], [0xff, 0, 0x80]);
    }
    for (const type of ['image/svg+xml', 'text/plain', 'image/jpegg', 'multipart/form-data; boundary=x', '']) {
      assert.equal(await upload(type, 'some bytes'), 100006, type);
    }
    assert.equal(await upload(undefined, new Uint8Array(0)), 200);
    assert.deepEqual(lastCall?.input.body, { contentType: '', bytes: Buffer.alloc(0) });
    for (const type of ['image/jpeg', 'text/plain']) {
      const headers = { Cookie: COOKIE, 'Content-Type': type };
      assert.equal(await codeOf(`${path}/handoffs/deny`, { method: 'POST', body: '{"a":1}', headers }), 100006);
    }
  });

  it('100005: an image of more than 12 MiB is refused, one of exactly 12 MiB is not', async () => {
    const upload = (bytes: number) =>
      codeOf(`${path}/steps/document/images/front`, {
        method: 'POST',
        body: new Uint8Array(bytes),
        headers: { Cookie: COOKIE, 'Content-Type': 'image/jpeg' },
      });
    assert.equal(await upload(12 * 2 ** 20), 200);
    assert.equal(await upload(12 * 2 ** 20 + 1), 100005);
  });
});

describe('the guard with https', () => {
  it('100054: with https, only the cookie that is bound to its host is accepted', async () => {
    const http = await openTestHttp({
      journeySession,
      environment: { GROVE_SCHEME: 'https' },
      db: { of: () => ({}) } as never,
      handlers: { journey: { denyHandoff: () => undefined } },
    });
    try {
      const deny = (cookie: string) =>
        http.call(`/api/journey/${INSTANCE}/handoffs/deny`, { method: 'POST', headers: { Cookie: cookie } });
      assert.equal((await deny(COOKIE)).body.code, 100054);
      assert.equal((await deny(`__Host-${COOKIE}`)).status, 204);
    } finally {
      await http.stop();
    }
  });
});

describe('the rate limits of journeys', () => {
  it('100007: an address may create thirty sessions a minute, and a session may upload ninety images', async () => {
    const clock = testClock();
    const http = await openTestHttp({
      journeySession,
      clock,
      environment: { GROVE_RATE_LIMIT: '1000' },
      db: { of: () => ({}) } as never,
      handlers: {
        journey: {
          createSession: () => ({ processInstanceId: '', expiringDtm: '' }),
          uploadImage: () => ({ name: '', sha256: '', bytes: 0 }),
        },
      },
    });
    try {
      const many = async (times: number, url: string, headers: Record<string, string>) => {
        const codes = [];
        for (let at = 0; at < times; at++) {
          const { status, body } = await http.call(url, { method: 'POST', headers });
          codes.push(status === 200 ? 200 : body.code);
        }
        return codes;
      };
      const sessions = () => many(31, '/api/journey/sessions', {});
      assert.deepEqual(await sessions(), [...Array(30).fill(200), 100007]);
      const uploads = () => many(301, `/api/journey/${INSTANCE}/steps/s/images/front`, { Cookie: COOKIE });
      assert.deepEqual(await uploads(), [...Array(300).fill(200), 100007]);
      clock.advance(60_000);
      assert.deepEqual(await sessions(), [...Array(30).fill(200), 100007]);
    } finally {
      await http.stop();
    }
  });
});
