import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { BEARER, openTestHttp, type TestHttp } from '../../test/http.ts';
import type { Db } from '../db/db.ts';
import { paging, toPage } from '../kernel/pages.ts';
import { MAX_OVERFLOW, MAX_WAITING } from './entrance.ts';

const LIST = '/api/arthr/apiKeys';
const CONNECTIONS = 20;
const EACH = 25;
/** More than may wait, even on a machine so slow that the flood counts as the only caller. */
const FLOOD = 1.5 * (MAX_WAITING + MAX_OVERFLOW);

describe('a tenant beside a flood', () => {
  let http: TestHttp;
  let answers = 0;
  /** The number of answers to the flood at the time when the tenant was served. */
  let answersBefore: number[] = [];
  before(async () => {
    http = await openTestHttp({
      db: { of: () => ({}) } as unknown as Db,
      observe: () => {
        answers += 1;
      },
      handlers: {
        apiKeys: {
          list: () => {
            answersBefore.push(answers);
            return toPage([], 0, paging({}, { id: 'id' }));
          },
        },
      },
    });
  });
  after(() => http.stop());

  const open = () =>
    new Promise<Socket>((done) => {
      const socket = connect(Number(new URL(http.baseUrl).port), '127.0.0.1', () => done(socket));
    });
  /** Writes the text, and waits for an answer that ends like this. */
  const ask = (socket: Socket, text: string) =>
    new Promise<void>((done) => {
      let read = '';
      const onData = (chunk: Buffer) => {
        read += chunk;
        if (!read.endsWith('}')) return;
        socket.off('data', onData);
        done();
      };
      socket.on('data', onData).write(text);
    });
  const get = (path: string, ...headers: string[]) =>
    `GET ${path} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

  for (const [name, badRequest] of [
    ['requests with a bad token', get(LIST, 'Authorization: Bearer nothing')],
    ['requests without a token', get(LIST)],
    ['requests to nowhere', get('/api/nowhere')],
    ['addresses that cannot be decoded', get('/api/%zz')],
    [
      'bodies that are no JSON',
      `${get(`${LIST}/issue`).replace('GET', 'POST').slice(0, -2)}Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{`,
    ],
  ] as const) {
    it(`a tenant beside a flood is served before most of ${CONNECTIONS * EACH} ${name}`, async () => {
      const tenant = await open();
      const flood = await Promise.all(Array.from({ length: CONNECTIONS }, open));
      // The server has accepted all connections.
      await Promise.all(flood.map((socket) => ask(socket, badRequest)));
      const own = get(LIST, `Authorization: ${BEARER}`);
      // The first request tells the server whose connection it is.
      await ask(tenant, own);
      await ask(tenant, own);
      answersBefore = [];
      answers = 0;
      for (const socket of flood) socket.resume().write(badRequest.repeat(EACH));
      await ask(tenant, own);
      for (const socket of [tenant, ...flood]) socket.destroy();
      const [at = Number.POSITIVE_INFINITY] = answersBefore;
      assert.ok(at < (CONNECTIONS * EACH) / 2, `${at} answers came before`);
    });
  }

  it('100010: a caller with too many waiting requests is refused, and another tenant is served', async () => {
    const tenant = await open();
    const flood = await Promise.all(Array.from({ length: CONNECTIONS }, open));
    const badRequest = get(LIST, 'Authorization: Bearer nothing');
    await Promise.all(flood.map((socket) => ask(socket, badRequest)));
    const own = get(LIST, `Authorization: ${BEARER}`);
    await ask(tenant, own);
    await ask(tenant, own);
    const read = flood.map((socket) => {
      const texts: Buffer[] = [];
      socket.on('data', (text) => texts.push(text)).write(badRequest.repeat(FLOOD / CONNECTIONS));
      return new Promise<string>((done) => socket.once('close', () => done(Buffer.concat(texts).toString())));
    });
    answersBefore = [];
    await ask(tenant, own);
    assert.equal(answersBefore.length, 1);
    const first = await Promise.race(read);
    assert.match(first, /HTTP\/1\.1 503 Service Unavailable\r\n(.*\r\n)*retry-after: 1\r\n/i);
    assert.match(first, /"code":100010/);
    for (const socket of [tenant, ...flood]) socket.destroy();
  });
});
