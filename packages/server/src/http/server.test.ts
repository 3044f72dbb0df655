import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { addressesOf, operations } from '@grove/contract';
import { openTestApp, type TestApp, testClock, testPlaces } from '../../test/harness.ts';
import { VERSION } from '../app.ts';

describe('the HTTP server', () => {
  const places = testPlaces();
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  it('the HTTP server serves every address of the contract', async () => {
    let served = 0;
    for (const { operation } of operations()) {
      for (const { path } of addressesOf(operation)) {
        const url = path.replace(/\{\w+\}/g, 'some-id');
        const init = { method: operation.method, ...(operation.method === 'POST' && { body: '{}' }) };
        const anonymous = await grove.call(url, { ...init, token: null });
        assert.equal(anonymous.status === 401, operation.auth !== 'public', `${operation.method} ${url}`);
        served += 1;
        // A stream never ends, so it is not requested here (notification-service/event-stream.test.ts).
        if (operation.produces === 'text/event-stream' && operation.permission) continue;
        const { status, body } = await grove.call(url, init);
        if (operation.auth === 'journey') assert.deepEqual([status, body.code], [401, 100054], url);
        else assert.ok(status < 500 && body?.code !== 100003, `${operation.method} ${url} ${status}`);
      }
    }
    assert.ok(served > 92);
  });

  it('the HTTP server prefers the fixed word for the three paths that a parameter would shadow', async () => {
    const { body } = await grove.call('/api/arthr/apiKeys/issue', { method: 'POST', token: null });
    assert.equal(body.code, 100008);
    assert.ok(/X-Api-Key/.test(body.message), 'apiKeys/issue is not the key named issue');
    const metrics = async () => (await grove.call('/metrics', { token: null })).text;
    await grove.call('/api/process-manager/processInstances/search');
    await grove.call('/api/identity-store/stores/s/users/u/pushNotifications/ext');
    const text = await metrics();
    assert.match(
      text,
      /grove_http_request_duration_seconds_count\{operation="processInstances\.search",status="200"\} /,
    );
    assert.match(
      text,
      /grove_http_request_duration_seconds_count\{operation="pushNotifications\.list",status="404"\} /,
    );
  });

  it('the HTTP server sends security headers and a request id with every answer, success or problem', async () => {
    const ids = new Set<string | null>();
    for (const path of ['/health/live', '/api/arthr/apiKeys', '/nowhere', '/openapi.json']) {
      const { headers } = await grove.call(path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
      if (path !== '/openapi.json') assert.equal(headers.get('cache-control'), 'no-store');
      ids.add(headers.get('x-request-id'));
    }
    assert.equal(ids.size, 4);
    assert.ok(!ids.has(null));
  });

  it('the HTTP server removes undeclared members from answers', async () => {
    const { text } = await grove.call('/api/arthr/apiKeys');
    for (const column of ['secret_hash', 'pepper', 'name_folded', 'tenant_id']) assert.ok(!text.includes(column));
  });

  it('the HTTP server reports that it is live and ready, and serves its OpenAPI document', async () => {
    assert.deepEqual((await grove.call('/health/live', { token: null })).body, { status: 'live', version: VERSION });
    assert.deepEqual((await grove.call('/health/ready', { token: null })).body, { status: 'ready', version: VERSION });
    const { body } = await grove.call('/openapi.json', { token: null });
    assert.equal(body.openapi, '3.1.0');
  });

  it('the metrics can be read from this machine, and elsewhere with the token', async () => {
    const open = await grove.call('/metrics', { token: null });
    assert.match(
      open.text,
      /grove_http_request_duration_seconds_bucket\{le="0.005",operation="apiKeys.list",status="200"\}/,
    );
    assert.ok(!open.text.includes('acme'), 'a metric names a tenant');
    const forwarded = await grove.call('/metrics', { token: null, headers: { 'X-Forwarded-For': '127.0.0.1' } });
    assert.deepEqual([forwarded.status, forwarded.body.code], [403, 7]);
    const guarded = await openTestApp(await places.create(), {
      environment: { GROVE_METRICS_TOKEN: 'a-token-for-metrics' },
    });
    try {
      assert.equal((await guarded.call('/metrics', { token: null })).status, 401);
      assert.equal((await guarded.call('/metrics', { token: 'wrong-token-for-it' })).status, 401);
      assert.equal((await guarded.call('/metrics', { token: 'a-token-for-metrics' })).status, 200);
    } finally {
      await guarded.stop();
    }
  });

  it('the HTTP server logs requests if that is switched on, without secrets, tokens, bodies or addresses', async () => {
    const noisy = await openTestApp(await places.create(), { environment: { GROVE_LOG_REQUESTS: 'on' } });
    try {
      const canary = 'canary-7f3a';
      const key = await noisy.client.apiKeys.create({ body: { name: canary, description: canary } });
      await noisy.call(`/api/arthr/apiKeys?name=${canary}`);
      await noisy.call('/api/arthr/apiKeys', { method: 'POST', body: `{"name": ${canary}` });
      const log = noisy.logged();
      assert.match(log, /"operation":"apiKeys.create","status":201/);
      assert.match(log, /"tenantId":"acme"/);
      for (const secret of [canary, key.code.slice(-43), noisy.apiKey.slice(-43), 'eyJ', 'Bearer']) {
        assert.ok(!log.includes(secret), `the log holds ${secret}`);
      }
    } finally {
      await noisy.stop();
    }
  });

  it('the HTTP server answers a bug with 500 and code 1, with the detail only in the log', async () => {
    const broken = await openTestApp(await places.create());
    const token = await broken.token();
    await broken.app.db.of('acme' as never).write((tx) => tx.run({ text: 'DROP TABLE counters' }, []));
    const { status, body, text } = await broken.call('/api/arthr/apiKeys', { token });
    assert.deepEqual([status, body.code, body.message], [500, 1, 'Unexpected error']);
    assert.ok(!/counters|SQL|at /.test(text.replace('"status"', '')), text);
    assert.match(broken.logged(), /no such table: counters/);
    assert.ok(broken.logged().includes(body.requestId));
    await broken.stop().catch(() => undefined);
  });
});

describe('the rate limits of requests', () => {
  const places = testPlaces();

  it('100007: a key gets its share each second, with the RateLimit fields, and not more; invalid requests do not raise it', async () => {
    const clock = testClock();
    const grove = await openTestApp(await places.create(), { clock, environment: { GROVE_RATE_LIMIT: '5' } });
    try {
      const token = await grove.token();
      clock.advance(60_000);
      const ask = (headers = {}) => grove.call('/api/arthr/apiKeys', { token, headers });
      for (let left = 4; left >= 0; left--) {
        const { status, headers } = await ask();
        assert.equal(status, 200);
        assert.equal(headers.get('ratelimit'), `"default";r=${left};t=1`);
        assert.equal(headers.get('ratelimit-policy'), '"default";q=5;w=1');
      }
      const { status, body, headers } = await ask({ 'X-Api-Key': 'junk', 'X-Forwarded-For': '1.2.3.4' });
      assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 100007, '1']);
      clock.advance(1000);
      assert.equal((await ask()).status, 200);
    } finally {
      await grove.stop();
    }
  });

  it('100007: an address gets four times as much as a key, whatever tokens and forwarded addresses it sends', async () => {
    const clock = testClock();
    const grove = await openTestApp(await places.create(), { clock, environment: { GROVE_RATE_LIMIT: '5' } });
    try {
      const statuses = [];
      for (let at = 0; at < 21; at++) {
        const headers = { 'X-Forwarded-For': `1.2.3.${at}`, Authorization: `Bearer junk${at}` };
        statuses.push((await grove.call('/api/arthr/apiKeys', { token: null, headers })).status);
      }
      assert.deepEqual(statuses, [...Array(20).fill(401), 429]);
    } finally {
      await grove.stop();
    }
  });

  it('behind a trusted proxy, the rate limit uses the forwarded address', async () => {
    const clock = testClock();
    const environment = { GROVE_RATE_LIMIT: '5', GROVE_TRUST_PROXY: '127.0.0.0/8' };
    const grove = await openTestApp(await places.create(), { clock, environment });
    try {
      for (let at = 0; at < 25; at++) {
        const { status } = await grove.call('/health/live', {
          token: null,
          headers: { 'X-Forwarded-For': `1.2.3.${at}` },
        });
        assert.equal(status, 200);
      }
    } finally {
      await grove.stop();
    }
  });

  it('100007: neither a port nor a header forwarded by the caller makes another address for the rate limit', async () => {
    const clock = testClock();
    const environment = { GROVE_RATE_LIMIT: '5', GROVE_TRUST_PROXY: '127.0.0.0/8' };
    const grove = await openTestApp(await places.create(), { clock, environment });
    try {
      const spellings: ((at: number) => string)[] = [
        (at) => `1.2.3.4:${50_000 + at}`,
        (at) => `[2001:db8::${at}]:${50_000 + at}`,
        (at) => `6.6.6.${at}, 1.2.3.5`,
        (at) => `6.6.6.${at}, 1.2.3.6:${50_000 + at}, 127.0.0.2:443`,
        (at) => `unknown${at}`,
      ];
      for (const spelling of spellings) {
        const statuses: number[] = [];
        for (let at = 0; at < 21; at++) {
          const headers = { 'X-Forwarded-For': spelling(at) };
          statuses.push((await grove.call('/health/live', { token: null, headers })).status);
        }
        assert.deepEqual(statuses, [...Array(20).fill(200), 429], spelling(0));
      }
    } finally {
      await grove.stop();
    }
  });
});

describe('the stop of the server', () => {
  const places = testPlaces();

  it('the stop of the server lets a request in flight finish, and takes no new one', async () => {
    const grove = await openTestApp(await places.create());
    const token = await grove.token();
    const { port } = new URL(grove.baseUrl);
    const body = '{"name":"in flight"}';
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const head = `POST /api/arthr/apiKeys HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    await new Promise<void>((done) => socket.write(head + body.slice(0, 5), () => done()));
    await new Promise((done) => setTimeout(done, 100));
    const closed = new Promise((done) => socket.on('close', done));
    const stopped = grove.stop();
    await new Promise((done) => setTimeout(done, 100));
    await assert.rejects(fetch(`${grove.baseUrl}/health/live`));
    socket.write(body.slice(5));
    await Promise.all([stopped, closed]);
    assert.match(text, /^HTTP\/1\.1 201 Created/);
  });
});
