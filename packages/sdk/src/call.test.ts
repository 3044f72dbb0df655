import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { API_KEY, type FakeGrove, hang, json, problem, reset, startFakeGrove } from '../test/fake-grove.ts';
import { type ClientOptions, createClient } from './client.ts';
import { GroveConnectionError, isGroveError } from './errors.ts';

/** A client that records its waiting times instead of waiting. */
async function setUp(t: TestContext, options: Partial<ClientOptions> = {}) {
  const server = await startFakeGrove(t);
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, sleep, ...options });
  return { server, grove, slept };
}

const keysOf = (server: FakeGrove) => server.seen.map(({ headers }) => headers['idempotency-key']);

test('a GET is sent again after the connection was reset', async (t) => {
  const { server, grove, slept } = await setUp(t);
  server.steps.push(reset, json(200, { id: 'k1' }));
  assert.equal((await grove.apiKeys.get({ apiKeyId: 'k1' })).id, 'k1');
  assert.equal(server.seen.length, 2);
  assert.equal(slept.length, 1);
});

test('a POST that does not create is not sent again after a reset: nobody knows whether it took effect', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(reset);
  await assert.rejects(grove.apiKeys.update({ apiKeyId: 'k1', body: { name: 'n' } }), (error) => {
    assert(error instanceof GroveConnectionError);
    assert.equal(error.fault, 'lost');
    assert.equal(error.operation, 'apiKeys.update');
    return true;
  });
  assert.equal(server.seen.length, 1);
  assert.deepEqual(keysOf(server), [undefined]);
});

test('an Idempotency-Key of the caller does not make a POST that creates nothing safe to send again', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(reset);
  const update = grove.apiKeys.update({ apiKeyId: 'k1', body: {}, idempotencyKey: 'mine' });
  await assert.rejects(update, GroveConnectionError);
  assert.deepEqual(keysOf(server), ['mine']);
});

test('a DELETE is not sent again after a reset', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(reset);
  await assert.rejects(grove.apiKeys.delete({ apiKeyId: 'k1' }), GroveConnectionError);
  assert.equal(server.seen.length, 1);
});

test('a POST that creates is sent again after a reset, with the same random key and the same body', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(reset, problem(409, 100011, 'still being served'), json(201, { id: 'k1' }));
  assert.equal((await grove.apiKeys.create({ body: { name: 'till' } })).id, 'k1');
  const keys = keysOf(server);
  assert.equal(keys.length, 3);
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(new Set(server.seen.map(({ body }) => body)), new Set(['{"name":"till"}']));
});

test('two calls that create have different keys, and the key of the caller comes first', async (t) => {
  const { server, grove } = await setUp(t);
  server.otherwise = json(201, { id: 'k1' });
  await grove.apiKeys.create({ body: { name: 'a' } });
  await grove.apiKeys.create({ body: { name: 'a' } });
  await grove.apiKeys.create({ body: { name: 'a' }, idempotencyKey: 'order-7' });
  const keys = keysOf(server);
  assert.notEqual(keys[0], keys[1]);
  assert.equal(keys[2], 'order-7');
});

test('any call is sent again after 429 and 503, not before Retry-After has passed', async (t) => {
  const { server, grove, slept } = await setUp(t);
  server.steps.push(
    problem(429, 100007, 'Too many requests', { headers: { 'retry-after': '3' } }),
    problem(503, 100010, 'not ready', { headers: { 'retry-after': '5' } }),
    json(200, { id: 'k1' }),
  );
  await grove.apiKeys.update({ apiKeyId: 'k1', body: { name: 'n' } });
  assert.equal(server.seen.length, 3);
  assert(slept[0] !== undefined && slept[0] >= 3000 && slept[0] < 3500, `${slept[0]}`);
  assert(slept[1] !== undefined && slept[1] >= 5000 && slept[1] < 6000, `${slept[1]}`);
});

test('a Retry-After beyond the cap is not waited for: the error says how long it is', async (t) => {
  const { server, grove, slept } = await setUp(t);
  server.steps.push(problem(429, 100007, 'Too many requests', { headers: { 'retry-after': '3600' } }));
  await assert.rejects(grove.apiKeys.list(), { status: 429, code: 100007, retryAfterSeconds: 3600 });
  assert.deepEqual(slept, []);
});

test('a call is sent again twice and no more unless maxRetries says otherwise', async (t) => {
  const { server, grove } = await setUp(t);
  server.otherwise = problem(503, 100010, 'not ready');
  await assert.rejects(grove.apiKeys.list(), { status: 503 });
  assert.equal(server.seen.length, 3);

  const stubborn = await setUp(t, { maxRetries: 0 });
  stubborn.server.otherwise = problem(503, 100010, 'not ready');
  await assert.rejects(stubborn.grove.apiKeys.list(), { status: 503 });
  assert.equal(stubborn.server.seen.length, 1);
});

test('a POST is sent again while the connection is refused, since nothing was sent', async (t) => {
  const { server } = await setUp(t);
  let refusals = 2;
  const refusing: typeof fetch = async (...input) => {
    if (String(input[0]).endsWith('/k1') && refusals-- > 0) return fetch(await closedPort());
    return fetch(...input);
  };
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, fetch: refusing, sleep: async () => {} });
  server.steps.push(json(200, { id: 'k1' }));
  assert.equal((await grove.apiKeys.update({ apiKeyId: 'k1', body: {} })).id, 'k1');
  assert.equal(server.seen.length, 1);
});

test('a server that cannot be reached is a connection error which says that nothing was sent', async () => {
  const grove = createClient({ baseUrl: await closedPort(), apiKey: API_KEY, maxRetries: 0 });
  await assert.rejects(grove.apiKeys.create({ body: { name: 'x' } }), {
    name: 'GroveConnectionError',
    fault: 'unsent',
    message: 'apiKeys.issue: could not connect to the server (ECONNREFUSED)',
  });
});

test('an address with a port that fetch refuses is a connection error which says that nothing was sent', async () => {
  const grove = createClient({ baseUrl: 'http://localhost:1', apiKey: API_KEY, maxRetries: 0 });
  await assert.rejects(grove.apiKeys.list(), {
    name: 'GroveConnectionError',
    fault: 'unsent',
    message: 'apiKeys.issue: could not connect to the server (bad port)',
  });
});

test('an attempt that takes longer than timeoutMs ends as a connection error', async (t) => {
  const { server, grove } = await setUp(t, { timeoutMs: 200, maxRetries: 1 });
  await grove.apiKeys.list();
  server.otherwise = hang;
  const { signal } = new AbortController();
  await assert.rejects(grove.apiKeys.list({ signal }), { name: 'GroveConnectionError', fault: 'timeout' });
  assert.equal(server.seen.length, 3);
});

test('the time limit covers the body of the answer, not only its head', async (t) => {
  const { server, grove } = await setUp(t, { timeoutMs: 200, maxRetries: 0 });
  await grove.apiKeys.list();
  server.steps.push((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"content":');
  });
  await assert.rejects(grove.apiKeys.list(), { name: 'GroveConnectionError', fault: 'timeout' });
});

test("the caller's abort ends a call with the caller's reason and is not retried", async (t) => {
  const { server, grove, slept } = await setUp(t);
  const controller = new AbortController();
  server.steps.push(() => controller.abort(new Error('changed my mind')));
  await assert.rejects(grove.apiKeys.list({ signal: controller.signal }), /changed my mind/);
  assert.equal(server.seen.length, 1);
  assert.deepEqual(slept, []);
});

test("the caller's abort ends the waiting between attempts", async (t) => {
  const { server, grove } = await setUp(t, { sleep: undefined });
  const controller = new AbortController();
  server.steps.push((response, seen) => {
    problem(503, 100010, 'not ready', { headers: { 'retry-after': '50' } })(response, seen);
    setTimeout(() => controller.abort(new Error('changed my mind')), 50);
  });
  await assert.rejects(grove.apiKeys.list({ signal: controller.signal }), /changed my mind/);
});

test('an answer of no is a GroveError with all that the problem says', async (t) => {
  const { server, grove } = await setUp(t);
  const errors = [{ pointer: '/name', message: 'must be shorter' }];
  server.steps.push(problem(400, 100001, 'The request has invalid input', { errors, unknown: 1 }));
  await assert.rejects(grove.apiKeys.create({ body: { name: 'x' } }), (error) => {
    assert(error instanceof Error && isGroveError(error, 100001));
    const { status, message, requestId, operation } = error;
    assert.deepEqual(
      { status, message, requestId, operation, errors: error.errors },
      {
        status: 400,
        message: 'The request has invalid input',
        requestId: 'req-1',
        operation: 'apiKeys.create',
        errors,
      },
    );
    return true;
  });
});

test('an answer that is not from Grove is a GroveError without a code', async (t) => {
  const { server, grove } = await setUp(t, { maxRetries: 0 });
  const html = (status: number) => (response: Parameters<typeof hang>[0]) => {
    response.writeHead(status, { 'content-type': 'text/html', 'x-request-id': 'proxy-1' }).end('<html>hello</html>');
  };
  server.steps.push(html(502), html(200));
  await assert.rejects(grove.apiKeys.list(), {
    name: 'GroveError',
    status: 502,
    code: undefined,
    requestId: 'proxy-1',
  });
  await assert.rejects(grove.apiKeys.list(), { name: 'GroveError', status: 200, message: /not JSON/ });
});

test('a redirect is not followed, so the credential stays with the server that was named', async (t) => {
  const { server, grove } = await setUp(t);
  const other = await startFakeGrove(t);
  server.steps.push(json(302, {}, { location: `${other.baseUrl}/elsewhere` }));
  await assert.rejects(grove.apiKeys.list(), { name: 'GroveError', status: 302, message: /not followed/ });
  assert.equal(other.seen.length, 0);
});

test('204 gives undefined, and fields that this version does not know are left as they came', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push((response) => response.writeHead(204).end(), json(200, { id: 'k1', invented: { later: true } }));
  assert.equal(await grove.apiKeys.delete({ apiKeyId: 'k1' }), undefined);
  assert.deepEqual(await grove.apiKeys.get({ apiKeyId: 'k1' }), { id: 'k1', invented: { later: true } });
});

/** The address of a port on which no server listens. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 1}`;
}

test('a file is sent as it is, with its type, and an upload that creates is sent again after a reset', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(reset, json(201, { id: 'p1' }));
  const bytes = new TextEncoder().encode('PK, or so');
  const body = { contentType: 'application/zip', bytes } as const;
  assert.equal((await grove.customPages.createVersion({ name: 'my page', body })).id, 'p1');
  const [first, second] = server.seen;
  assert.equal(second?.url, '/api/theme-server/customPages/my%20page/versions');
  assert.deepEqual([second?.headers['content-type'], second?.body], ['application/zip', 'PK, or so']);
  assert.equal(first?.headers['idempotency-key'], second?.headers['idempotency-key']);
});
