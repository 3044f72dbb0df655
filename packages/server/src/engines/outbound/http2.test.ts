import assert from 'node:assert/strict';
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { SELF_SIGNED } from '../../../test/self-signed.ts';
import { parseAllowList } from './allow-list.ts';
import { type Http2, openHttp2 } from './http2.ts';

describe('outbound requests over HTTP/2', () => {
  let server: Http2Server;
  let http2: Http2;
  let origin: string;
  let sessions = 0;
  let answer: (stream: ServerHttp2Stream, path: string) => void;
  before(async () => {
    server = createServer();
    server.on('session', () => {
      sessions += 1;
    });
    server.on('stream', (stream, headers) => answer(stream, String(headers[':path'])));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
    const allow = parseAllowList([`127.0.0.1:${port}`]);
    assert.ok(allow);
    http2 = openHttp2({ allow });
  });
  after(async () => {
    http2.close();
    await new Promise<void>((done) => server.close(() => done()));
  });

  const send = (path = '/', timeoutMs = 5000) =>
    http2.send({ url: `${origin}${path}`, headers: { 'x-test': '1' }, body: 'hello', timeoutMs });

  it('outbound requests over HTTP/2 share one connection, and dial again when it is closed', async () => {
    answer = (stream, path) => {
      stream.respond({ ':status': 200, 'retry-after': '7' });
      stream.end(path);
    };
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => send(`/${at}`)));
    for (const [at, one] of answers.entries()) {
      assert.ok(one.fault === undefined);
      assert.deepEqual([one.status, one.body.toString(), one.retryAfter], [200, `/${at}`, '7']);
    }
    assert.equal(sessions, 1);
    answer = (stream) => stream.session?.destroy();
    assert.deepEqual(await send(), { fault: 'connection' });
    answer = (stream) => {
      stream.respond({ ':status': 204 });
      stream.end();
    };
    assert.equal((await send()).status, 204);
    assert.equal(sessions, 2);
  });

  it('outbound requests over HTTP/2 accept a few interim answers, and give up a server that sends no final one', async () => {
    const answerAfter = (hints: number) => (stream: ServerHttp2Stream) => {
      stream.on('error', () => undefined);
      for (let at = 0; at < hints; at++) stream.additionalHeaders({ ':status': 103 });
      setTimeout(() => stream.destroyed || stream.respond({ ':status': 204 }, { endStream: true }), 50);
    };
    answer = answerAfter(2);
    assert.equal((await send()).status, 204);
    answer = answerAfter(20);
    assert.deepEqual(await send(), { fault: 'bad_answer' });
  });

  it('outbound requests over HTTP/2 end the connection of a server that goes on sending after its answer', async () => {
    // An empty HEADERS answer of status 200 to the first request, and then frames without end that carry nothing.
    const frameOf = (type: number, flags: number, stream: number, payload: number[]) =>
      Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream, ...payload]);
    const answered = Buffer.concat([frameOf(4, 1, 0, []), frameOf(1, 5, 1, [0x88])]);
    const windows = Buffer.alloc(13 * 5000, frameOf(8, 0, 0, [0, 0, 0, 1]));
    const ended = Promise.withResolvers<void>();
    const flooding = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('close', () => ended.resolve());
      socket.write(frameOf(4, 0, 0, []));
      const pump = () => {
        if (socket.destroyed) return;
        if (socket.write(windows)) setImmediate(pump);
        else socket.once('drain', pump);
      };
      socket.once('data', () => {
        setTimeout(() => socket.write(answered, pump), 50);
      });
    });
    await new Promise<void>((done) => flooding.listen(0, '127.0.0.1', done));
    const { port } = flooding.address() as AddressInfo;
    const allow = parseAllowList([`127.0.0.1:${port}`]);
    assert.ok(allow);
    const door = openHttp2({ allow });
    try {
      const request = { url: `http://127.0.0.1:${port}/`, headers: {}, body: '', timeoutMs: 5000 };
      assert.equal((await door.send(request)).status, 200);
      const winner = await Promise.race([ended.promise.then(() => 'ended'), wait(3000, 'goes on', { ref: false })]);
      assert.equal(winner, 'ended');
    } finally {
      door.close();
      await new Promise<void>((done) => flooding.close(() => done()));
    }
  });

  it('outbound requests over HTTP/2 keep a connection on which many answers arrive', async () => {
    answer = (stream) => {
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(4000));
    };
    await send();
    const before = sessions;
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => send()));
      assert.ok(answers.every(({ status }) => status === 200));
      await wait(120);
    }
    assert.equal(sessions, before);
  });

  it('outbound requests over HTTP/2 give up an answer that does not come or does not end, without harm to other requests', async () => {
    answer = (stream, path) => {
      if (path === '/hang') return;
      stream.respond({ ':status': 200 });
      stream.end(path === '/long' ? Buffer.alloc(10_000) : 'ok');
    };
    const before = sessions;
    const [hung, good] = await Promise.all([send('/hang', 200), send('/good')]);
    assert.deepEqual([hung.fault, good.status], ['timeout', 200]);
    assert.deepEqual(await send('/long'), { fault: 'bad_answer' });
    assert.equal(sessions, before);
    await send('/hang', 50);
    await send('/hang', 50);
    assert.equal((await send('/good')).status, 200);
    assert.equal(sessions, before + 1);
  });

  it('outbound requests over HTTP/2 dial no internal address, and no server without a trusted certificate', async () => {
    const inside = await http2.send({ url: 'https://10.0.0.1/', headers: {}, body: '', timeoutMs: 1000 });
    assert.deepEqual(inside, { fault: 'refused_address' });
    const secure = createSecureServer(SELF_SIGNED);
    await new Promise<void>((done) => secure.listen(0, '127.0.0.1', done));
    const { port } = secure.address() as AddressInfo;
    const allow = parseAllowList([`127.0.0.1:${port}`]);
    assert.ok(allow);
    const door = openHttp2({ allow });
    try {
      const refusal = await door.send({ url: `https://127.0.0.1:${port}/`, headers: {}, body: '', timeoutMs: 5000 });
      assert.deepEqual(refusal, { fault: 'tls' });
    } finally {
      door.close();
      await new Promise<void>((done) => secure.close(() => done()));
    }
  });
});
