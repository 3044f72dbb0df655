import { promises as dns } from 'node:dns';

export type ResolveHost = (host: string, options: { asSystem: boolean }) => Promise<string[]>;

const TIMEOUT_MS = 3000;
const TRIES = 2;
export const MAX_ADDRESSES = 16;

/**
 * The system's own look-up holds one of a few threads for as long as a name server does not answer, and files wait for
 * the same threads: a few dead names would slow everything down. So names of the internet are asked for over the network;
 * the system, which knows its hosts file and search domains, is asked only for what the operator allows.
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
