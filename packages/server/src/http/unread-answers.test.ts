import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { acceptRequests } from './accept-requests.ts';
import type { UnreadAnswersOptions } from './unread-answers.ts';

const MIB = 2 ** 20;
/** More than the system takes from a sender whose reader does not read. */
const LONG = 8 * MIB;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

const ends: (() => void)[] = [];
after(() => {
  for (const end of ends) end();
});

/** A server whose answers are long, and callers who read or do not read. */
async function openServer(unread: UnreadAnswersOptions) {
  const server = acceptRequests((_request, response) => response.end(Buffer.alloc(LONG)), {
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
    connectionsCheckingInterval: 2000,
    headers: {},
    proxies: [],
    gather: (begin) => begin(),
    unread: { lookEveryMs: 10, ...unread },
  });
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return (localAddress: string, requests = 1): Socket => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    ends.push(() => socket.destroy());
    socket.write(REQUEST.repeat(requests));
    return socket;
  };
}

/** Resolves when the server has ended the connection, although nothing is read. */
async function ended(socket: Socket): Promise<void> {
  // A write to an ended connection shows that it has ended.
  const timer = setInterval(() => socket.write('\r\n'), 20);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
}

async function readWhole(socket: Socket): Promise<number> {
  let bytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LONG) break;
  }
  return bytes;
}

const ENDED = { timeout: 20_000 };

describe('answers that nobody reads', () => {
  it('answers that nobody reads end a connection that asks for more and more of them at once', ENDED, async () => {
    const endedBytes: number[] = [];
    const ask = await openServer({ mostBytes: 4 * LONG, onEnded: ({ bytes }) => endedBytes.push(bytes) });
    const greedy = ask('127.0.0.1', 20);
    await ended(greedy);
    assert.ok((endedBytes[0] ?? 0) > 4 * LONG);
  });

  it('answers that nobody reads end the oldest connections of the caller who holds the most, and of nobody else', {
    ...ENDED,
    skip: process.platform === 'linux' ? false : 'one address alone',
  }, async () => {
    const ask = await openServer({ mostBytes: 4 * LONG });
    const slow = ask('127.0.0.1');
    const greedy: Socket[] = [];
    for (let count = 0; count < 6; count++) {
      greedy.push(ask('127.0.0.2'));
      await wait(30);
    }
    await Promise.all(greedy.slice(0, 2).map(ended));
    assert.ok((await readWhole(greedy.at(-1) as Socket)) > LONG);
    assert.ok((await readWhole(slow)) > LONG);
  });

  it('answers that nobody reads leave alone a single one, however long it is', async () => {
    const ask = await openServer({ mostBytes: MIB });
    const socket = ask('127.0.0.1');
    await wait(100);
    assert.ok((await readWhole(socket)) > LONG);
  });

  it('answers that are read are not counted, however many follow each other on one connection', async () => {
    const reports: object[] = [];
    const ask = await openServer({ mostBytes: 4 * LONG, onEnded: (details) => reports.push(details) });
    const socket = ask('127.0.0.1');
    for (let count = 0; count < 10; count++) {
      let bytes = 0;
      while (bytes <= LONG) bytes += ((await once(socket, 'data')) as [Buffer])[0].length;
      socket.write(REQUEST);
    }
    assert.deepEqual(reports, []);
  });
});
