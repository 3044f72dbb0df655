import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { BEARER, openTestHttp, type TestHttp } from '../../test/http.ts';
import type { Db } from '../db/db.ts';
import { ApiError } from '../kernel/errors.ts';
import { paging, toPage } from '../kernel/pages.ts';
import { UNDECLARED } from './server.ts';

const LIST = '/api/arthr/apiKeys';
const db = { of: () => ({}) } as unknown as Db;
const NOTHING = toPage([], 0, paging({}, { id: 'id' }));

describe('the rules for a request', () => {
  let http: TestHttp;
  const hosts: unknown[] = [];
  before(async () => {
    http = await openTestHttp({
      db,
      handlers: {
        apiKeys: {
          list: () => NOTHING,
          issue(context: { hostTenant: unknown }) {
            hosts.push(context.hostTenant);
            return { token: 'x', ttl: 1 };
          },
        },
      },
    });
  });
  after(() => http.stop());

  /**
   * Sends the text and returns the answers as text, until that many have arrived or the server has closed the
   * connection.
   */
  const exchange = (text: string, answers: number) =>
    new Promise<string>((resolve, reject) => {
      let read = '';
      const socket = connect(Number(new URL(http.baseUrl).port), '127.0.0.1', () => socket.write(text));
      socket.setTimeout(10_000, () => reject(new Error(`no answer: ${read}`)));
      socket.on('data', (chunk) => {
        read += chunk;
        if (read.split('HTTP/1.1 ').length > answers && read.endsWith('}')) socket.end();
      });
      socket.on('close', () => resolve(read));
      socket.on('error', reject);
    });
  const statusesOf = (read: string) => [...read.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  const get = (target: string, ...headers: string[]) =>
    `GET ${target} HTTP/1.1\r\n${[`Authorization: ${BEARER}`, ...headers].join('\r\n')}\r\n\r\n`;

  it('100001: a request with two Authorization headers is refused, although both are equal', async () => {
    for (const name of ['Authorization', 'AUTHORIZATION']) {
      const read = await exchange(get(LIST, 'Host: localhost', `${name}: ${BEARER}`), 1);
      assert.deepEqual(statusesOf(read), [400]);
      assert.match(read, /more than one Authorization/);
    }
  });

  it('100001: a request with two Host headers is refused, in any case of letters, and the connection is closed', async () => {
    const next = get('/health/live', 'Host: localhost');
    for (const headers of [
      ['Host: localhost', 'Host: localhost'],
      ['Host: acme.fir.localhost', 'hOST: other.fir.localhost'],
    ]) {
      const read = await exchange(get(LIST, ...headers) + next, 2);
      assert.deepEqual(statusesOf(read), [400]);
      assert.match(read, /"code":100001/);
      assert.match(read, /more than one Host/);
      assert.match(read, /connection: close/i);
    }
    assert.deepEqual(statusesOf(await exchange(get('/health/live', 'X: 1'), 1)), [400], 'none at all');
  });

  it('100001: a request is refused if its Host header does not name exactly one host, as when a proxy has joined two', async () => {
    const hosts = ['a.example, b.example', 'a.example b.example', 'x@a.example', 'a.example/x', 'a.example:x', '<a>'];
    for (const host of hosts) {
      const read = await exchange(get(LIST, `Host: ${host}`) + get('/health/live', 'Host: localhost'), 2);
      assert.deepEqual(statusesOf(read), [400], host);
      assert.match(read, /its Host is not the name of one host/);
    }
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1', '[::1]:8080', 'a_b.example.', '']) {
      assert.deepEqual(statusesOf(await exchange(get('/health/live', `Host: ${host}`), 1)), [200], host);
    }
  });

  const ISSUE = `${LIST}/issue`;
  const post = (version: string, ...headers: string[]) =>
    `POST ${ISSUE} HTTP/${version}\r\n${['Host: localhost', 'X-Api-Key: x', ...headers].join('\r\n')}\r\n\r\n`;
  const CHUNKS = '2\r\n{}\r\n0\r\n\r\n';

  it('100001: the end of a request must be unambiguous: chunked and nothing else, in HTTP/1.1', async () => {
    const json = 'Content-Type: application/json';
    const good = await exchange(post('1.1', json, 'Transfer-Encoding: Chunked') + CHUNKS, 1);
    assert.deepEqual(statusesOf(good), [200], good);
    const next = get('/health/live', 'Host: localhost');
    for (const [fault, text] of [
      [/Transfer-Encoding is not/, post('1.1', json, 'Transfer-Encoding: gzip, chunked') + CHUNKS],
      [/Transfer-Encoding is not/, post('1.1', json, 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked') + CHUNKS],
      [/HTTP\/1\.0 does not know/, post('1.0', json, 'Transfer-Encoding: chunked', 'Connection: keep-alive') + CHUNKS],
      [/not of HTTP\/1\.1/, 'GET /health/live HTTP/0.9\r\nHost: localhost\r\n\r\n'],
      [/not of HTTP\/1\.1/, 'GET /health/live\r\n\r\n'],
    ] as const) {
      const read = await exchange(text + next, 2);
      assert.deepEqual(new Set(statusesOf(read)), new Set([400]), text);
      assert.match(read, fault);
      assert.match(read, /connection: close/i);
    }
  });

  it('100006 and 100001: a request declares its body once: JSON in UTF-8, without an encoding', async () => {
    const length = 'Content-Length: 2';
    const ask = async (...headers: string[]) => exchange(`${post('1.1', length, ...headers)}{}`, 1);
    for (const type of [
      'application/json',
      'application/json; charset=UTF-8',
      'application/json;charset="utf-8"',
      'application/json; charset=ISO-8859-1',
    ]) {
      assert.deepEqual(statusesOf(await ask(`Content-Type: ${type}`)), [200], type);
    }
    assert.deepEqual(statusesOf(await ask('Content-Encoding: identity')), [200]);
    for (const header of [
      'Content-Encoding: gzip',
      'Content-Type: application/json; charset=utf-16',
      'Content-Type: application/json; charset=utf-7',
      'Content-Type: application/json; charset=utf-8; charset=utf-16',
    ]) {
      const read = await ask(header);
      assert.deepEqual(statusesOf(read), [415], header);
      assert.match(read, /"code":100006/);
    }
    const latin = `${post('1.1', 'Content-Length: 10', 'Content-Type: application/json; charset=iso-8859-1')}{"a":"é"}`;
    assert.deepEqual(statusesOf(await exchange(latin, 1)), [415], 'the same bytes are two texts');
    const two = await ask('Content-Type: application/json', 'content-type: text/plain');
    assert.match(two, /more than one Content-Type/);
  });

  it('226: a request with an absolute target uses the host of the target, and ignores the Host header', async () => {
    hosts.length = 0;
    const path = (host: string) => `http://${host}${LIST}`;
    const own = await exchange(get(path('acme.fir.localhost'), 'Host: other.fir.localhost'), 1);
    assert.deepEqual(statusesOf(own), [200], own);
    const other = await exchange(get(path('other.fir.localhost:8080'), 'Host: acme.fir.localhost'), 1);
    assert.deepEqual(statusesOf(other), [401], other);
    assert.match(other, /"code":226/);
    const issue = `POST http://acme.fir.localhost${LIST}/issue HTTP/1.1\r\nHost: other.fir.localhost\r\nX-Api-Key: x\r\nContent-Length: 0\r\n\r\n`;
    await exchange(issue, 1);
    assert.deepEqual(hosts, ['acme']);
    assert.deepEqual(statusesOf(await exchange(get('http://localhost/health/live?x=1', 'Host: a'), 1)), [200]);
    assert.deepEqual(statusesOf(await exchange(get('HTTP://[::1]:8080/nowhere', 'Host: a'), 1)), [404]);
    for (const target of ['http://', 'http://a@b/x', 'ftp://localhost/x', 'nowhere']) {
      assert.deepEqual(statusesOf(await exchange(get(target, 'Host: localhost'), 1)), [400], target);
    }
  });

  it('100002 and 100006: a body that cannot be read does not end the connection: the next request is answered', async () => {
    const post = (type: string, body: string) =>
      `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${BEARER}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (const [type, body, status] of [
      ['application/json', '{"name":', 400],
      ['application/json', '{"a":1,"a":2}', 400],
      ['text/plain', 'name=x', 415],
    ] as const) {
      const read = await exchange(post(type, body) + get(LIST, 'Host: localhost'), 2);
      assert.deepEqual(statusesOf(read), [status, 200], read);
    }
    // A body that was not read to its end still ends the connection.
    const long = await exchange(
      `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${BEARER}\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\n\r\n{`,
      1,
    );
    assert.deepEqual(statusesOf(long), [413]);
    assert.match(long, /connection: close/i);
  });
});

describe('the duration of a request', () => {
  it('the duration of a request is measured: in the metrics and in the log, for successes and for problems', async () => {
    const SLOW_MS = 60;
    const slowly = () => new Promise((done) => setTimeout(done, SLOW_MS));
    const observed: [string, number, number][] = [];
    const http = await openTestHttp({
      db,
      environment: { GROVE_LOG_REQUESTS: 'on' },
      observe: (...args) => void observed.push(args),
      handlers: {
        apiKeys: {
          list: () => slowly().then(() => NOTHING),
          get: () => slowly().then(() => Promise.reject(new Error('broken'))),
        },
      },
    });
    try {
      const headers = { Authorization: BEARER };
      assert.equal((await http.call(LIST, { headers })).status, 200);
      assert.equal((await http.call(`${LIST}/x`, { headers })).status, 500);
      assert.deepEqual(
        observed.map(([operation, status]) => [operation, status]),
        [
          ['apiKeys.list', 200],
          ['apiKeys.get', 500],
        ],
      );
      // Timers may fire a millisecond early.
      for (const [operation, , ms] of observed) assert.ok(ms >= SLOW_MS - 2, `${operation} took ${ms} ms`);
      const lines = http
        .logged()
        .split('\n')
        .filter((line) => line.includes('"msg":"request"'))
        .map((line) => JSON.parse(line) as { ms: number });
      assert.equal(lines.length, 2);
      for (const { ms } of lines) assert.ok(ms >= SLOW_MS - 2, `${ms} ms`);
    } finally {
      await http.stop();
    }
  });
});

describe('the page at /', () => {
  it('the page at / tells a person what runs here and has links, without a script and without naming a tenant', async () => {
    const http = await openTestHttp();
    try {
      const { status, headers, text } = await http.call('/');
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /text\/html/);
      assert.match(text, /Grove is running/);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'.*style-src 'sha256-/);
      for (const [, address = ''] of text.matchAll(/href="(\/[^"]*)"/g)) {
        assert.equal((await http.call(address)).status, 200, address);
      }
      assert.equal((await http.call('/', { method: 'HEAD' })).status, 200);
    } finally {
      await http.stop();
    }
  });
});

describe('an answer with a status that the contract does not declare', () => {
  it('an answer with an undeclared status is in the log as an error, which the tests look for', async () => {
    const http = await openTestHttp({
      db,
      handlers: { apiKeys: { list: () => NOTHING, get: () => Promise.reject(new ApiError(100012)) } },
    });
    try {
      const headers = { Authorization: BEARER };
      assert.equal((await http.call(LIST, { headers })).status, 200);
      assert.ok(!http.logged().includes(UNDECLARED));
      assert.equal((await http.call(`${LIST}/x`, { headers })).status, 422);
      assert.ok(http.logged().includes(UNDECLARED));
    } finally {
      await http.stop();
    }
  });
});
