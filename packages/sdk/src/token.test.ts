import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API_KEY, json, problem, reset, startFakeGrove } from '../test/fake-grove.ts';
import { createClient } from './client.ts';

const sleep = async () => {};

test('50 calls at once issue one token, and later calls reuse it', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
  await Promise.all(Array.from({ length: 50 }, () => grove.apiKeys.list()));
  await grove.apiKeys.list();
  assert.equal(server.issues.length, 1);
  assert.equal(server.issues[0]?.headers['x-api-key'], API_KEY);
  assert.equal(server.seen.length, 51);
});

test('the key is sent to issue a token and with no other call', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
  await grove.apiKeys.list();
  assert.equal(server.seen[0]?.headers['x-api-key'], undefined);
  assert.equal(server.seen[0]?.headers.authorization, 'Bearer fake.token-1.signature');
});

for (const { ttl, margin } of [
  { ttl: 3600, margin: 60 },
  { ttl: 100, margin: 10 },
]) {
  test(`a token of ${ttl} s is renewed ${margin} s before it expires, not earlier`, async (t) => {
    const server = await startFakeGrove(t);
    server.ttl = ttl;
    let nowMs = 1_000_000;
    const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, clock: () => nowMs });
    await grove.apiKeys.list();
    nowMs += (ttl - margin) * 1000 - 1;
    await grove.apiKeys.list();
    assert.equal(server.issues.length, 1);
    nowMs += 1;
    await Promise.all([grove.apiKeys.list(), grove.apiKeys.list()]);
    assert.equal(server.issues.length, 2);
    assert.equal(server.seen.at(-1)?.headers.authorization, 'Bearer fake.token-2.signature');
  });
}

test('a token that the server no longer takes is replaced and the call sent again, once for all calls', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, sleep });
  await grove.apiKeys.list();
  server.valid.clear();
  server.otherwise = json(201, { id: 'k1' });
  const created = await Promise.all(Array.from({ length: 10 }, () => grove.apiKeys.create({ body: { name: 'x' } })));
  assert.equal(created.length, 10);
  assert.equal(server.issues.length, 2);
});

test('a call whose fresh token is refused too fails with the 401: no loop', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, sleep });
  server.otherwise = problem(401, 276, 'The signature of the bearer token is invalid');
  await assert.rejects(grove.apiKeys.list(), { status: 401, code: 276, operation: 'apiKeys.list' });
  assert.equal(server.seen.length, 2);
  assert.equal(server.issues.length, 2);
});

test('a 401 that is not about the token is not retried', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, sleep });
  server.otherwise = problem(401, 100008, 'A credential is required');
  await assert.rejects(grove.apiKeys.list(), { status: 401, code: 100008 });
  assert.equal(server.seen.length, 1);
  assert.equal(server.issues.length, 1);
});

test('a wrong key fails every waiting call with 271, and is tried again by the next call', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: 'grv_test_wrong', sleep });
  const settled = await Promise.allSettled([grove.apiKeys.list(), grove.apiKeys.list()]);
  for (const { status } of settled) assert.equal(status, 'rejected');
  assert.equal(server.issues.length, 1);
  await assert.rejects(grove.apiKeys.list(), { status: 401, code: 271, operation: 'apiKeys.issue' });
  assert.equal(server.issues.length, 2);
  assert.equal(server.seen.length, 0);
});

test('issuing is repeated after a reset, since a token that nobody uses does no harm', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, sleep });
  server.issueSteps.push(reset);
  await grove.apiKeys.list();
  assert.equal(server.issues.length, 2);
});

test('one caller that gives up need not wait for the token, and does not take it away from the others', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, timeoutMs: 1000, maxRetries: 0 });
  const controller = new AbortController();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  server.issueSteps.push((response, seen) => {
    controller.abort(new Error('gave up'));
    server.valid.add('late');
    released.then(() => json(200, { token: 'late', ttl: 60 })(response, seen));
  });
  const [hasty, patient] = [grove.apiKeys.list({ signal: controller.signal }), grove.apiKeys.list()];
  await assert.rejects(hasty, /gave up/);
  release();
  await patient;
  assert.equal(server.issues.length, 1);
});

test('an answer to issue without a usable token is an error that does not show it', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
  for (const answer of [{}, null, { token: 'line\nbreak', ttl: 60 }, { token: 7, ttl: 60 }]) {
    server.issueSteps.push(json(200, answer));
    await assert.rejects(grove.apiKeys.list(), { name: 'GroveError', message: 'The answer holds no usable token' });
  }
});

test('a caller may issue a token of its own, with the key', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
  assert.deepEqual(await grove.apiKeys.issue(), { token: 'fake.token-1.signature', ttl: 3600 });
  assert.equal(server.issues[0]?.body, '{}');
});
