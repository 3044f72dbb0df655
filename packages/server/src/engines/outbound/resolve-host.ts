import { promises as dns } from 'node:dns';

export type ResolveHost = (host: string, options: { asSystem: boolean }) => Promise<string[]>;

const TIMEOUT_MS = 3000;
const TRIES = 2;
export const MAX_ADDRESSES = 16;

/**
 * The system's look-up blocks one of a few threads until the name server answers, and file access uses the same threads: a
 * few dead names would slow everything down. So public names are resolved over the network. The system, which knows its
 * hosts file and search domains, resolves only names that the operator allows.
 */
export function hostResolver(): ResolveHost {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (host, { asSystem }) => {
    if (asSystem) {
      const entries = await dns.lookup(host, { all: true, order: 'ipv4first' });
      return entries.map(({ address }) => address).slice(0, MAX_ADDRESSES);
    }
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw four.status === 'rejected' ? four.reason : new Error('the name has no address');
    return addresses.slice(0, MAX_ADDRESSES);
  };
}
