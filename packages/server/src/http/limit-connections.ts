import type { Server } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { countUnderWay } from '../kernel/under-way.ts';

/**
 * Ensures that no address takes all connections: an address may have as many as it leaves free, so the first gets half of
 * them at most, the next half of the rest. Proxies have no such limit, because all callers come through them.
 */
export function limitConnections(
  server: Server,
  { most, proxies }: { most: number; proxies: readonly string[] },
): void {
  const connections = countUnderWay();
  const isProxy = rangesOf(proxies);
  let open = 0;
  server.maxConnections = most;
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const key = networkOf(address);
    if (connections.count(key) >= most - open && !isProxy(address)) {
      socket.destroy();
      return;
    }
    open += 1;
    const leave = connections.enter(key);
    socket.once('close', () => {
      open -= 1;
      leave();
    });
  });
}

/** All callers that a proxy forwards without an address count as one. */
const NO_ADDRESS = 'unknown';
/** An IPv4 address as IPv6 writes it. A proxy may write it in capitals, or all of its zeros. */
const MAPPED = /^(?:0{0,4}:){2,5}ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The part of an address that counts as one caller: a client with IPv6 usually has 2^64 addresses. */
export function networkOf(address: string): string {
  const family = isIP(address);
  if (family === 4) return address;
  if (family === 0) return address === '' ? '' : NO_ADDRESS;
  const mapped = MAPPED.exec(address);
  if (mapped) return mapped[1] as string;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  // A proxy may write a group with leading zeros or in capitals.
  const groupsOf = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16).toString(16));
  const groups = groupsOf(head);
  const behind = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - groups.length - behind.length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...behind].slice(0, 4).join(':');
}

function rangesOf(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = address.replace('::ffff:', '');
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}
