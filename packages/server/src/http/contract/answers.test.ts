import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BEARER, openTestHttp, type TestHttp } from '../../../test/http.ts';
import { file, redirect, stream, withHeaders } from '../../kernel/answers.ts';
import { ApiError } from '../../kernel/errors.ts';

const ARCHIVE = '/api/userdata-server/processDefinitions/d/processInstances/i/userdataarchive';
const ITEM = '/api/userdata-server/processDefinitions/d/processInstances/i/getdata?path=a';

describe('answers without a plain body', () => {
  let http: TestHttp;
  let archive: () => Readable | Promise<Readable>;
  let broken = 'yes';
  before(async () => {
    http = await openTestHttp({
      db: { of: () => ({}) } as never,
      handlers: {
        journey: {
          createSession: () =>
            withHeaders({ processInstanceId: 'i', expiringDtm: 'e', undeclared: 1 }, { 'x-more': broken }),
        },
        processServer: { openToken: (_context, { query }) => redirect(query.pt) },
        userData: {
          archive: async () =>
            stream('application/zip', await archive(), { 'content-disposition': 'attachment', 'x-more': broken }),
          getItem: () =>
            file('image/png', Buffer.from([1, 2, 3]), { 'content-security-policy': 'sandbox', 'x-more': broken }),
        },
      },
    });
  });
  after(() => http.stop());
  const headers = { Authorization: BEARER };
  const take = () => http.call(ARCHIVE, { method: 'POST', headers });

  it('a redirect has its location, its status, no body and the usual headers', async () => {
    const answer = await http.call('/processInstances?pt=%2Fweb%2F%3Fpt%3D1');
    assert.deepEqual([answer.status, answer.headers.get('location'), answer.text], [303, '/web/?pt=1', '']);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.ok(answer.headers.get('x-request-id'));
  });

  it('a redirect to an address beyond ASCII is written as bytes, and can neither break nor add a header', async () => {
    const answer = await http.call(
      `/processInstances?pt=${encodeURIComponent('https://a.example/prüfen x\r\nSet-Cookie: a=b')}`,
    );
    const location = 'https://a.example/pr%C3%BCfen%20x%0D%0ASet-Cookie:%20a=b';
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, location]);
    assert.equal(answer.headers.get('set-cookie'), null);
  });

  it('a header that cannot be written is a fault, and not dropped', async () => {
    broken = '\u0000';
    const endless = new Readable({ read: () => undefined });
    endless.push('begun');
    archive = () => endless;
    for (const [url, method] of [
      ['/api/journey/sessions', 'POST'],
      [ITEM, 'GET'],
      [ARCHIVE, 'POST'],
    ] as const) {
      const { status, body } = await http.call(url, { method, headers });
      assert.deepEqual([status, body.code], [500, 1]);
    }
    assert.ok(endless.destroyed);
    broken = 'yes';
  });

  it('a body with headers of its own is still checked by its schema', async () => {
    const {
      status,
      headers: answerHeaders,
      body,
    } = await http.call('/api/journey/sessions', { method: 'POST', body: '{}' });
    assert.deepEqual([status, answerHeaders.get('x-more')], [200, 'yes']);
    assert.deepEqual(body, { processInstanceId: 'i', expiringDtm: 'e' });
  });

  it('a file has its type and length, and its headers replace the usual ones', async () => {
    const answer = await fetch(`${http.baseUrl}${ITEM}`, { headers });
    assert.deepEqual([...new Uint8Array(await answer.arrayBuffer())], [1, 2, 3]);
    assert.equal(answer.headers.get('content-type'), 'image/png');
    assert.equal(answer.headers.get('content-length'), '3');
    assert.equal(answer.headers.get('content-security-policy'), 'sandbox');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  });

  it('a stream arrives completely, with its type and the usual headers', async () => {
    archive = () => Readable.from(['one ', 'two ', 'three']);
    const { status, text, headers: answerHeaders } = await take();
    assert.deepEqual([status, text, answerHeaders.get('content-type')], [200, 'one two three', 'application/zip']);
    assert.equal(answerHeaders.get('content-disposition'), 'attachment');
    assert.equal(answerHeaders.get('x-content-type-options'), 'nosniff');
    archive = () => Readable.from([]);
    assert.deepEqual([(await take()).status, (await take()).text], [200, '']);
  });

  it('a failure before the first byte of a stream is a problem like any other', async () => {
    const failing = (error: Error) => () =>
      new Readable({
        read() {
          this.destroy(error);
        },
      });
    archive = failing(new ApiError(100022));
    const missing = await take();
    assert.deepEqual([missing.status, missing.body.code], [404, 100022]);
    archive = failing(new Error('secret detail'));
    const broken = await take();
    assert.deepEqual([broken.status, broken.body.code, broken.text.includes('secret')], [500, 1, false]);
    archive = () => new Readable({ read: () => undefined }).destroy();
    assert.equal((await take()).status, 500);
  });

  it('a failure in the middle of a stream aborts the answer, so that it does not look complete; only faults of Grove are logged as errors', async () => {
    const brokenBy = (error: Error) => () => {
      let first = true;
      return new Readable({
        read() {
          if (first) this.push('half of it');
          else setImmediate(() => this.destroy(error));
          first = false;
        },
      });
    };
    archive = brokenBy(new ApiError(7));
    await assert.rejects(take());
    assert.match(http.logged(), /"level":30.*"code":7,"msg":"response stream ended early/);
    assert.doesNotMatch(http.logged(), /response stream failed/);
    archive = brokenBy(new Error('the disk is gone'));
    await assert.rejects(take());
    assert.match(http.logged(), /response stream failed/);
  });

  it('a stream is destroyed when the client disconnects, before its first byte and after it', async () => {
    for (const chunks of [[], ['begun']]) {
      const endless = new Readable({ read: () => undefined });
      for (const chunk of chunks) endless.push(chunk);
      const archiveRead = new Promise<void>((done) => {
        archive = () => {
          done();
          return endless;
        };
      });
      const client = new AbortController();
      const answer = fetch(`${http.baseUrl}${ARCHIVE}`, { method: 'POST', headers, signal: client.signal });
      answer.catch(() => undefined);
      await (chunks.length > 0 ? answer : archiveRead);
      const closed = new Promise((done) => endless.once('close', done));
      client.abort();
      await closed;
      assert.ok(endless.destroyed);
    }
  });

  it('a reader that went away is no fault, neither before the answer begins nor in the middle of it', async () => {
    const before = http.logged().length;
    const since = () => http.logged().slice(before);
    const wentAway = () => since().split('the reader of a response stream went away').length - 1;
    for (const [at, isBegun] of [false, true].entries()) {
      const endless = new Readable({ read: () => undefined });
      const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
      const { promise: isGone, resolve: leave } = Promise.withResolvers<void>();
      archive = async () => {
        ask();
        if (!isBegun) await isGone;
        endless.push('begun');
        return endless;
      };
      http.http.server.once('request', ({ socket }) => socket.once('close', leave));
      const reader = connect(Number(new URL(http.baseUrl).port), '127.0.0.1');
      reader.write(
        `POST ${ARCHIVE} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${BEARER}\r\nContent-Length: 0\r\n\r\n`,
      );
      await (isBegun ? once(reader, 'data') : isAsked);
      const isClosed = new Promise((done) => endless.once('close', done));
      reader.destroy();
      await isClosed;
      while (wentAway() <= at) await nextTurn();
    }
    assert.doesNotMatch(since(), /"level":[45]0/);
  });

  it('the schema of process definitions is compiled at the first request and kept', async () => {
    let built = 0;
    const own = await openTestHttp({
      definitionSchema: () => {
        built += 1;
        return { title: 'Process definition' };
      },
    });
    try {
      assert.equal(built, 0);
      for (let round = 0; round < 2; round++) {
        const { status, body } = await own.call('/schemas/process-definition.json');
        assert.deepEqual([status, body], [200, { title: 'Process definition' }]);
      }
      assert.equal(built, 1);
    } finally {
      await own.stop();
    }
  });
});
