import { getPersonalSeal, type TenantReads } from '../../db/db.ts';
import { countryOfProxy } from '../../kernel/country-of-proxy.ts';

/**
 * The network and place of an end user's browser, for reviewers. An address is cut to its network, because a reviewer needs
 * to see only whether it changed. It decides nothing.
 */
export type SessionFacts = {
  /** The oldest first. A change is recorded with the next action of the end user. */
  readonly networks: readonly { readonly network: string; readonly at: number }[];
  /** The time zone of the browser's clock. */
  readonly timeZone?: string;
  /** The country of the address, from the proxy. */
  readonly countryCode?: string;
};

const MAX_NETWORKS = 10;
const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,3}$/;
const placeOf = (id: string) => `session:${id}`;

type Arrival = { address: string; timeZone: string | undefined; country: string | undefined; now: number };

export function factsOf({ address, timeZone = '', country, now }: Arrival): SessionFacts {
  const countryCode = countryOfProxy(country);
  return {
    networks: [{ network: cutAddress(address), at: now }],
    ...(ZONE.test(timeZone) && { timeZone }),
    ...(countryCode && { countryCode }),
  };
}

/** The facts with the network of this call; undefined if they already have it or are full. */
export function withNetwork(facts: SessionFacts, address: string, now: number): SessionFacts | undefined {
  const network = cutAddress(address);
  const { networks } = facts;
  if (networks.at(-1)?.network === network || networks.length >= MAX_NETWORKS) return undefined;
  return { ...facts, networks: [...networks, { network, at: now }] };
}

/** 203.0.113.7 is in 203.0.113.0/24, and 2001:db8:1:2 in 2001:db8:1::/48. */
export function cutAddress(address: string): string {
  if (!address.includes(':')) return address.replace(/\.\d+$/, '.0/24');
  return `${address.split(':').slice(0, 3).join(':')}::/48`;
}

export async function sealFacts(db: TenantReads, id: string, facts: SessionFacts): Promise<Uint8Array> {
  return (await getPersonalSeal(db)).seal(placeOf(id), JSON.stringify(facts));
}

export async function openFacts(db: TenantReads, id: string, sealed: Uint8Array): Promise<SessionFacts> {
  return JSON.parse((await getPersonalSeal(db)).open(placeOf(id), sealed)) as SessionFacts;
}
