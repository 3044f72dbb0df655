import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { startPostgres, type TestPostgres } from '../../test/postgres.ts';

const LIST = '/api/arthr/apiKeys';

describe('a database that is unavailable (postgres)', () => {
  const places = testPlaces();
  let postgres: TestPostgres;
  let grove: TestApp;
  before(async () => {
    postgres = await startPostgres();
    const { url } = await postgres.createDatabase();
    const place = await places.create();
    grove = await openTestApp({
      ...place,
      engine: 'postgres',
      environment: { ...place.environment, DATABASE_URL: url, DATABASE_POOL: '4' },
    });
  });
  after(async () => {
    await grove.stop();
    await postgres.stop();
  });

  it('100010: while the database is down, a request gets 503 with Retry-After within five seconds, and the server recovers without a restart', async () => {
    const token = await grove.token();
    assert.equal((await grove.call(LIST, { token })).status, 200);
    postgres.kill('SIGKILL');
    // Connections of a killed server may answer once more.
    for (let tries = 0; tries < 20 && (await grove.call(LIST, { token })).status === 200; tries++);
    for (let round = 0; round < 5; round++) {
      const started = performance.now();
      const { status, body, headers } = await grove.call(LIST, { token });
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 100010, '1']);
      assert.ok(performance.now() - started < 5000, 'it took longer than five seconds');
      assert.ok(!/ECONN|socket|postgres/i.test(body.message), body.message);
    }
    assert.equal((await grove.call('/health/live', { token: null })).status, 200);
    const ready = await grove.call('/health/ready', { token: null });
    assert.deepEqual([ready.status, ready.body.code], [503, 100010]);
    // An outage is one event: its reason is logged once in ten seconds, and not for every request.
    const stacks = grove.logged().match(/"msg":"request failed"/g) ?? [];
    assert.ok(stacks.length > 0 && stacks.length <= 4, `${stacks.length} lines`);
    await postgres.restart();
    assert.equal((await grove.call(LIST, { token })).status, 200);
    assert.equal((await grove.call('/health/ready', { token: null })).status, 200);
  });

  it('100010: while the database is read-only, a request gets 503 with Retry-After, the server is not ready, and it recovers', async () => {
    const token = await grove.token();
    const create = (name: string) => grove.call(LIST, { method: 'POST', body: JSON.stringify({ name }), token });
    const setReadOnly = async (value: string) => {
      await postgres.administrate(`ALTER ROLE grove_test SET default_transaction_read_only = ${value}`);
      await postgres.administrate(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'grove_test'",
      );
    };
    await setReadOnly('on');
    try {
      let refusal = await create('refused');
      // The pool notices the cut connections at their next use.
      for (let tries = 0; tries < 8; tries++) refusal = await create('refused');
      assert.deepEqual([refusal.status, refusal.body.code, refusal.headers.get('retry-after')], [503, 100010, '1']);
      assert.equal((await grove.call('/health/ready', { token: null })).status, 503);
    } finally {
      await setReadOnly('off');
    }
    for (let tries = 0; tries < 8 && (await grove.call('/health/ready', { token: null })).status !== 200; tries++);
    assert.equal((await create('accepted')).status, 201);
  });
});

describe('a disk that is full (sqlite)', () => {
  const places = testPlaces();

  it('100020: while the disk is full, a request gets 507, stored data stays, and the server continues when there is room again', async () => {
    const grove = await openTestApp(await places.create());
    try {
      const db = grove.app.db.of('acme' as never);
      const pages = (limit: number) => db.write((tx) => tx.all({ text: `PRAGMA max_page_count = ${limit}` }, []));
      const create = (name: string) =>
        grove.call(LIST, { method: 'POST', body: JSON.stringify({ name, description: 'x'.repeat(255) }) });
      // If the limit is below the present size, SQLite allows no further page.
      await pages(1);
      let status = 201;
      let count = 0;
      let code = 0;
      for (; status === 201 && count < 500; count++) {
        const answer = await create(`filling up ${count}`);
        status = answer.status;
        code = answer.body.code;
      }
      assert.deepEqual([status, code], [507, 100020]);
      const { body } = await grove.call(LIST);
      assert.equal(body.totalElements, count, 'one of the keys that were acknowledged is missing, or one is too many');
      await pages(1_000_000);
      assert.equal((await create('room again')).status, 201);
    } finally {
      await grove.stop();
    }
  });
});

describe('a client that is slow', () => {
  const places = testPlaces();

  it('100018: a client that sends too slowly gets 408, and its connection is closed', async () => {
    const grove = await openTestApp(await places.create());
    try {
      grove.app.http.server.requestTimeout = 300;
      grove.app.http.server.headersTimeout = 300;
      const text = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(grove.baseUrl).port), '127.0.0.1', () =>
          socket.write('POST / HTTP/1.1\r\nHost: a\r\nX-Slow: '),
        );
        let answer = '';
        socket.setTimeout(15_000, () => reject(new Error('it was not cut off')));
        socket.on('data', (chunk) => {
          answer += chunk;
        });
        socket.on('close', () => resolve(answer));
        socket.on('error', reject);
      });
      assert.match(text, /^HTTP\/1\.1 408 .*"code":100018/s);
    } finally {
      await grove.stop();
    }
  });
});

describe('a tenant with too many API keys', () => {
  const places = testPlaces();

  it('100017: a tenant with a hundred thousand API keys cannot create another', async () => {
    const grove = await openTestApp(await places.create());
    try {
      const db = grove.app.db.of('acme' as never);
      const pretend = (value: number) =>
        db.write((tx) => tx.run({ text: 'UPDATE counters SET value = $2 WHERE tenant_id = $1' }, ['acme', value]));
      await pretend(100_000);
      const create = () => grove.call(LIST, { method: 'POST', body: '{"name":"one more"}' });
      const { status, body } = await create();
      assert.deepEqual([status, body.code], [409, 100017]);
      await pretend(99_999);
      assert.equal((await create()).status, 201);
    } finally {
      await grove.stop();
    }
  });
});
