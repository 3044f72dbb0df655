import ipaddr from 'ipaddr.js';

/**
 * What the operator lets requests reach although it is not on the public internet: ranges of addresses, and single
 * targets `host:port`. A list that can only deny would break every installation whose receivers live beside it.
 */
export type AllowList = {
  readonly ranges: readonly Range[];
  /** `host:port`, in lower case; an IPv6 address in brackets. */
  readonly targets: ReadonlySet<string>;
};

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

export const MAX_ALLOWED = 100;

const TARGET = /^(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?):([1-9]\d{0,4})$/;

/** Undefined if an entry is neither a range, nor an address, nor `host:port`. */
export function parseAllowList(entries: readonly string[]): AllowList | undefined {
  if (entries.length > MAX_ALLOWED) return undefined;
  const ranges: Range[] = [];
  const targets = new Set<string>();
  for (const entry of entries) {
    const range = parseRange(entry);
    const target = TARGET.exec(entry.toLowerCase());
    if (range) ranges.push(range);
    else if (target && Number(target[3]) <= 65_535) targets.add(entry.toLowerCase());
    else return undefined;
  }
  return { ranges, targets };
}

function parseRange(entry: string): Range | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry) as Range;
  // Four numbers and nothing shorter: `10` would be the address 0.0.0.10.
  if (!ipaddr.IPv4.isValidFourPartDecimal(entry) && !ipaddr.IPv6.isValid(entry)) return undefined;
  const address = ipaddr.parse(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

export function isListed(address: string, { ranges }: AllowList): boolean {
  if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}

/** What ipaddr.js may call unicast although it leads to an IPv4 address inside, or to a network of one site. */
const NEVER = ['::/96', '::ffff:0:0/96', 'fec0::/10', '2002::/16', '2001::/32', '64:ff9b::/96', '64:ff9b:1::/48'].map(
  (range) => ipaddr.IPv6.parseCIDR(range),
);

/** Addresses of the internet's own space where clouds answer to the machines inside them: Azure's wire server. */
const INSIDE_CLOUDS: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Is it an address of the public internet, in a form that hides no other? */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || INSIDE_CLOUDS.has(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || !NEVER.some(([network, bits]) => (parsed as ipaddr.IPv6).match(network, bits));
}
