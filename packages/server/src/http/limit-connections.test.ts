import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { testClock } from '../../test/harness.ts';
import { requestLimits } from './contract/limits.ts';
import { limitConnections, networkOf } from './limit-connections.ts';

const servers: { close(): void; closeAllConnections(): void }[] = [];
const sockets: Socket[] = [];
after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function open(most: number, proxies: readonly string[] = []) {
  const server = createServer((_request, response) => response.end('ok'));
  limitConnections(server, { most, proxies });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  /** Returns whether the server answers on a new connection from this address, which then stays open. */
  return async (localAddress: string): Promise<Socket | undefined> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const event = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return Buffer.isBuffer(event[0]) ? socket : undefined;
  };
}

// Only Linux has all of 127.0.0.0/8 without configuration.
describe('the limit of connections', { skip: process.platform === 'linux' ? false : 'one address alone' }, () => {
  it('the connections of one address take at most half of all places, those of the next half of the rest, and are free after they close', async () => {
    const ask = await open(8);
    const first = [];
    for (let count = 0; count < 6; count++) first.push(await ask('127.0.0.1'));
    assert.equal(first.filter(Boolean).length, 4);
    const second = [];
    for (let count = 0; count < 4; count++) second.push(await ask('127.0.0.2'));
    assert.equal(second.filter(Boolean).length, 2);
    assert.ok(await ask('127.0.0.3'));
    assert.equal(await ask('127.0.0.3'), undefined);
    first[0]?.destroy();
    let free: Socket | undefined;
    for (let tries = 0; tries < 100 && !free; tries++) free = await ask('127.0.0.3');
    assert.ok(free);
  });

  it('the connections of a trusted proxy may take all places', async () => {
    const ask = await open(4, ['127.0.0.0/24']);
    for (let count = 0; count < 4; count++) assert.ok(await ask('127.0.0.1'));
  });
});

it('the addresses of one IPv6 network of 64 bits count as one', () => {
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
  assert.equal(networkOf('2001:db8:1:2::9'), '2001:db8:1:2');
  assert.equal(networkOf('2001:db8::9'), '2001:db8:0:0');
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('2001:0DB8:0001:2::9'), '2001:db8:1:2');
  assert.equal(networkOf('::1'), '0:0:0:0');
  for (const mapped of ['::FFFF:192.0.2.1', '0:0:0:0:0:ffff:192.0.2.1', '0000:0000:0000:0000:0000:FFFF:192.0.2.1']) {
    assert.equal(networkOf(mapped), '192.0.2.1', mapped);
  }
  for (const text of ['unknown', '_hidden', '192.0.2.1:x', 'x'.repeat(10_000)])
    assert.equal(networkOf(text), 'unknown');
});

it('100007: an IPv6 network of 64 bits has one rate limit, and the next network has another', () => {
  const limits = requestLimits(1, testClock());
  const ask = (ip: string) => limits?.ofAddress({ ip, extraHeaders: null } as FastifyRequest);
  for (const last of [1, 2, 3, 4]) ask(`2001:db8:1:2::${last}`);
  assert.throws(() => ask('2001:db8:1:2:ffff::5'), { code: 100007 });
  ask('2001:db8:1:3::1');
  for (let count = 0; count < 30; count++) limits?.ofNewSession({ ip: `2001:db8::${count}` } as FastifyRequest);
  assert.throws(() => limits?.ofNewSession({ ip: '2001:db8::ffff', extraHeaders: null } as FastifyRequest), {
    code: 100007,
  });
});
