import { type FieldFault, invalidInput } from '../../kernel/errors.ts';

/** The hosts of cloud secrets. Ensures that a secret is sent to no other host, whoever names it in a header (exfiltration). */

/** The view of a secret that is older than hosts. Callers cannot set it. */
const ANY_HOST = '*';

/** The hosts in one spelling and without duplicates: names or addresses, with a port unless it is the default. */
export function normaliseHosts(hosts: readonly string[]): string[] {
  const faults: FieldFault[] = [];
  const normal = hosts.flatMap((text, at) => {
    const host = hostOf(`https://${text}`);
    const isHost = host !== undefined && /^[^/\s@?#\\*]+$/.test(text) && new URL(`https://${text}`).pathname === '/';
    if (isHost) return [host];
    faults.push({ pointer: `/hosts/${at}`, message: 'must be a host such as api.example.com or api.example.com:8443' });
    return [];
  });
  if (faults.length > 0) throw invalidInput(...faults);
  return [...new Set(normal)];
}

/** `stored` is the value of the column. */
export function maySendTo(stored: string | null, url: string): boolean {
  if (stored === null) return true;
  const host = hostOf(url);
  return host !== undefined && (JSON.parse(stored) as string[]).includes(host);
}

export function shownHosts(stored: string | null): string[] {
  return stored === null ? [ANY_HOST] : (JSON.parse(stored) as string[]);
}

/** The message for a caller who names a secret that may not be sent there. */
export function hostFault(secretName: string, url: string): string {
  return `the cloud secret ${JSON.stringify(secretName)} may not be sent to ${hostOf(url)}: add that host to its hosts first`;
}

function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { host } = new URL(url);
  return host === '' ? undefined : host;
}
