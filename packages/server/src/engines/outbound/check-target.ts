import { isIP } from 'node:net';
import { type AllowList, isListed, isPublic } from './allow-list.ts';

/**
 * A target before the connection. `named`: the operator allows this host and port, whatever its address. `listed`: its
 * address must be in the operator's ranges. `public`: its address must be public, or in those ranges.
 */
export type Target = { readonly url: URL; readonly host: string; readonly trust: 'named' | 'listed' | 'public' };
export type TargetFault = { readonly fault: string };

/** Ports of databases, caches, queues and control planes, where no receiver of requests listens (SSRF). */
const DENIED_PORTS: ReadonlySet<number> = new Set([
  1080, 1433, 1434, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3659, 4045, 4190,
  5060, 5061, 5432, 5433, 5672, 5900, 5984, 6000, 6379, 6380, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 7000,
  7001, 8086, 8500, 9042, 9092, 9160, 9200, 9300, 10_080, 10_250, 10_255, 10_256, 11_211, 15_672, 25_672, 26_379,
  27_017, 27_018, 27_019, 50_000, 50_070,
]);
const HTTPS_PORT = 443;
const FIRST_UNPRIVILEGED_PORT = 1024;

export function checkTarget(uri: string, allow: AllowList): Target | TargetFault {
  // URL parsers remove or replace these characters, each in its own way.
  if (/[\s\\]|\p{Cc}/u.test(uri) || !URL.canParse(uri)) return { fault: 'must be an https address' };
  const url = new URL(uri);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { fault: 'must be an https address' };
  if (url.username !== '' || url.password !== '') return { fault: 'must not carry a user name or a password' };
  if (url.hash !== '') return { fault: 'must not have a fragment' };
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  // Port 0 is a port, but nobody listens on it.
  const port = url.port === '' ? (url.protocol === 'https:' ? HTTPS_PORT : 80) : Number(url.port);
  const name = isIP(host) === 6 ? `[${host}]` : host;
  if (allow.targets.has(`${name}:${port}`)) return { url, host, trust: 'named' };
  if (port === 0 || DENIED_PORTS.has(port)) return { fault: `must not name port ${port}` };
  const trust = trustOf(host, allow);
  if (!trust) return { fault: 'must not lead to an internal address' };
  const ordinary = url.protocol === 'https:' && (port === HTTPS_PORT || port >= FIRST_UNPRIVILEGED_PORT);
  if (ordinary || trust === 'listed') return { url, host, trust };
  // The address of a name is known only when it is dialled: it must then be in the operator's ranges.
  if (isIP(host) === 0 && allow.ranges.length > 0) return { url, host, trust: 'listed' };
  if (url.protocol === 'http:') return { fault: 'must be an https address' };
  return { fault: `must name port ${HTTPS_PORT} or one from ${FIRST_UNPRIVILEGED_PORT}` };
}

function trustOf(host: string, allow: AllowList): 'listed' | 'public' | undefined {
  if (isIP(host) !== 0) return isListed(host, allow) ? 'listed' : isPublic(host) ? 'public' : undefined;
  if (host !== 'localhost' && !host.endsWith('.localhost')) return 'public';
  return isListed('127.0.0.1', allow) ? 'listed' : undefined;
}

/** Ensures that the dialled address is allowed, whatever the name resolved to when the target was stored (DNS rebinding). */
export function mayDial(address: string, { trust }: Pick<Target, 'trust'>, allow: AllowList): boolean {
  if (trust === 'named') return true;
  return isListed(address, allow) || (trust === 'public' && isPublic(address));
}
