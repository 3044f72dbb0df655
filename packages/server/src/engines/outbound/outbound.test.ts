import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { SELF_SIGNED } from '../../../test/self-signed.ts';
import { parseAllowList } from './allow-list.ts';
import { type Outbound, type OutboundOptions, type OutboundRequest, openOutbound } from './outbound.ts';

const undo: (() => void)[] = [];
after(() => {
  for (const each of undo) each();
});

type Receiver = { port: number; requests: string[]; connections(): number };

async function receiver(listener: RequestListener, server: Server = createServer()): Promise<Receiver> {
  const requests: string[] = [];
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.on('request', (request, answer) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests, connections: () => connections };
}

/** A server that does not speak HTTP: it sends this text to every client. */
async function saying(text: string): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(text));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  undo.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

function outboundTo(entries: string[], options: Partial<OutboundOptions> = {}): Outbound {
  const allow = parseAllowList(entries);
  assert.ok(allow);
  const outbound = openOutbound({ allow, ...options });
  undo.push(() => outbound.close());
  return outbound;
}

const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  headers: {},
  ...more,
});

describe('an outbound request', () => {
  it('an outbound request sends its method, headers and body, and returns only the status and Retry-After', async () => {
    let body = '';
    let headers: unknown;
    const { port, requests } = await receiver((request, answer) => {
      headers = request.headers;
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => answer.writeHead(429, { 'Retry-After': '7', 'X-Secret': 'no' }).end('a secret'));
    });
    const outbound = outboundTo([`127.0.0.1:${port}`]);
    const url = `http://127.0.0.1:${port}/hook?a=1`;
    const answer = await outbound.send({ method: 'POST', url, headers: { 'x-own': 'yes' }, body: '{"ä":1}' });
    assert.deepEqual({ ...answer, milliseconds: 0 }, { status: 429, retryAfter: '7', milliseconds: 0 });
    assert.deepEqual(requests, ['POST /hook?a=1']);
    assert.equal(body, '{"ä":1}');
    const sentHeaders = headers as Record<string, string>;
    assert.deepEqual(
      [sentHeaders['x-own'], sentHeaders['content-length'], sentHeaders.host],
      ['yes', '8', `127.0.0.1:${port}`],
    );
  });

  it('an outbound request dials no internal address, however it is written, and nothing arrives there', async () => {
    const { port, connections } = await receiver((_request, answer) => answer.end());
    const outbound = outboundTo([]);
    const hex = 'https://0x7f.1';
    for (const host of [
      'https://127.0.0.1',
      'https://2130706433',
      hex,
      'https://[::ffff:127.0.0.1]',
      'https://[::127.0.0.1]',
    ]) {
      assert.equal((await outbound.send(get(`${host}:${port}/`))).fault, 'refused_address', host);
    }
    assert.equal(connections(), 0);
  });

  it('an outbound request dials no name that resolves to an internal address, alone or among others, and does not resolve it twice', async () => {
    const { port, connections } = await receiver((_request, answer) => answer.end());
    let lookups = 0;
    const answers = (...all: string[][]) => outboundTo([], { resolve: async () => all[lookups++ % all.length] ?? [] });
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], []]) {
      const answer = await answers(addresses).send(get(`https://rebound.example:${port}/`));
      assert.equal(answer.fault, 'refused_address', addresses.join());
    }
    // The name resolves first to a public and then to an internal address. It is resolved once for each connection, and
    // that address is dialled.
    lookups = 0;
    const rebinding = answers(['192.88.99.1'], ['127.0.0.1']);
    assert.equal((await rebinding.send(get(`https://rebound.example:${port}/`))).fault, 'refused_address');
    assert.equal(lookups, 1);
    assert.equal(connections(), 0);
  });

  it('an outbound request follows no redirect', async () => {
    const inside = await receiver((_request, answer) => answer.end());
    const { port } = await receiver((_request, answer) =>
      answer.writeHead(302, { Location: `http://127.0.0.1:${inside.port}/` }).end(),
    );
    const outbound = outboundTo([`127.0.0.1:${port}`, `127.0.0.1:${inside.port}`]);
    assert.equal((await outbound.send(get(`http://127.0.0.1:${port}/`))).status, 302);
    assert.equal(inside.connections(), 0);
  });

  it('an outbound request reads only the needed part of a long answer, and keeps its status', async () => {
    const { promise: whole, resolve: tell } = Promise.withResolvers<boolean>();
    const { port } = await receiver((_request, answer) => {
      answer.on('close', () => tell(answer.writableFinished));
      answer.end(Buffer.alloc(10 * 2 ** 20));
    });
    const outbound = outboundTo([`127.0.0.1:${port}`]);
    assert.equal((await outbound.send(get(`http://127.0.0.1:${port}/`))).status, 200);
    assert.equal(await whole, false);
  });

  it('an outbound request is aborted if the receiver sends its answer very slowly, or not at all', async () => {
    const dripping = createTcpServer((socket) => {
      const bytes = Buffer.from('HTTP/1.1 200 OK\r\nX-Slow: yes');
      let at = 0;
      const timer = setInterval(() => socket.write(bytes.subarray(at, ++at)), 20);
      socket.on('error', () => undefined).on('close', () => clearInterval(timer));
    });
    await new Promise<void>((done) => dripping.listen(0, '127.0.0.1', done));
    undo.push(() => dripping.close());
    const silent = await receiver(() => undefined);
    for (const port of [(dripping.address() as AddressInfo).port, silent.port]) {
      const outbound = outboundTo([`127.0.0.1:${port}`]);
      const answer = await outbound.send(get(`http://127.0.0.1:${port}/`, { timeoutMs: 150 }));
      assert.equal(answer.fault, 'timeout');
    }
  });

  it('an outbound request accepts a few interim answers before the final one, and gives up a receiver that sends no other', async () => {
    const hints = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const few = await saying(`${hints}HTTP/1.1 204 No Content\r\n\r\n`);
    const server = createTcpServer((socket) => {
      const sendMore = () => {
        while (socket.writable && socket.write(hints.repeat(100)));
      };
      socket.on('error', () => undefined).on('drain', sendMore);
      socket.once('data', sendMore);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    undo.push(() => server.close());
    const { port: endless } = server.address() as AddressInfo;
    const outbound = outboundTo([`127.0.0.1:${few}`, `127.0.0.1:${endless}`]);
    assert.equal((await outbound.send(get(`http://127.0.0.1:${few}/`))).status, 204);
    const { fault, milliseconds } = await outbound.send(get(`http://127.0.0.1:${endless}/`));
    assert.equal(fault, 'bad_answer');
    assert.ok(milliseconds < 5000, `${milliseconds} ms`);
  });

  it('an outbound request has the status of an answer even if its body never ends', async () => {
    const endless = await receiver((_request, answer) => {
      answer.writeHead(200);
      answer.write('x');
    });
    const outbound = outboundTo([`127.0.0.1:${endless.port}`]);
    assert.equal((await outbound.send(get(`http://127.0.0.1:${endless.port}/`))).status, 200);
  });

  it('an outbound request returns one word for why it failed', async () => {
    const { port: free } = await receiver((_request, answer) => answer.end());
    const closing = await receiver((request) => request.socket.destroy());
    const tls = await receiver((_request, answer) => answer.end(), createTlsServer(SELF_SIGNED));
    const odd = await saying('SSH-2.0-x\r\n\r\n');
    const turning = await saying('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    const unknown = Object.assign(new Error(), { code: 'ENOTFOUND' });
    const outbound = outboundTo(['127.0.0.0/8'], { resolve: () => Promise.reject(unknown) });
    const faultOf = async (url: string, more?: Partial<OutboundRequest>) => (await outbound.send(get(url, more))).fault;
    assert.equal(await faultOf(`http://127.0.0.1:${closing.port}/`), 'connection');
    assert.equal(await faultOf('http://127.0.0.1:1/'), 'connection');
    assert.equal(await faultOf(`https://127.0.0.1:${tls.port}/`), 'tls');
    assert.equal(await faultOf(`https://127.0.0.1:${free}/`), 'tls');
    assert.equal(await faultOf(`http://127.0.0.1:${odd}/`), 'bad_answer');
    assert.equal(await faultOf(`http://127.0.0.1:${turning}/`), 'connection');
    assert.equal(await faultOf('https://nobody.example/'), 'dns');
    assert.equal(await faultOf(`http://127.0.0.1:${free}/`, { headers: { 'x-bad': 'a\nb' } }), 'bad_request');
    assert.equal(await faultOf(`http://127.0.0.1:${free}/`, { signal: AbortSignal.abort() }), 'stopped');
  });

  it('an outbound request reuses a connection, and opens another if the receiver has closed it', async () => {
    const { port, requests, connections } = await receiver((request, answer) => {
      if (requests.length === 3) request.socket.destroy();
      else answer.end('ok');
    });
    const outbound = outboundTo([`127.0.0.1:${port}`]);
    for (const expected of [1, 1, 2]) {
      assert.equal((await outbound.send(get(`http://127.0.0.1:${port}/`))).status, 200);
      assert.equal(connections(), expected);
    }
    assert.equal(requests.length, 4);
  });

  it('an outbound request uses the resolver of the system for a host that the operator allows', async () => {
    const { port, requests } = await receiver((_request, answer) => answer.end());
    const outbound = outboundTo([`localhost:${port}`]);
    assert.equal((await outbound.send(get(`http://localhost:${port}/here`))).status, 200);
    assert.deepEqual(requests, ['GET /here']);
    assert.equal((await outboundTo([]).send(get(`https://localhost:${port}/`))).fault, 'refused_address');
  });

  it('an outbound request verifies certificates whatever the environment variables say', async (t) => {
    const { port } = await receiver((_request, answer) => answer.end(), createTlsServer(SELF_SIGNED));
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    t.after(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const outbound = outboundTo([`127.0.0.1:${port}`]);
    assert.equal((await outbound.send(get(`https://127.0.0.1:${port}/`))).fault, 'tls');
  });
});
