import ipaddr from 'ipaddr.js';

/**
 * The targets outside the public internet that the operator allows: ranges of addresses, and single targets
 * `host:port`. Without it, an installation could not reach receivers in its own network.
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
  // An IPv4 address must have four numbers: `10` would be the address 0.0.0.10.
  if (!ipaddr.IPv4.isValidFourPartDecimal(entry) && !ipaddr.IPv6.isValid(entry)) return undefined;
  const address = ipaddr.parse(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

export function isListed(address: string, { ranges }: AllowList): boolean {
  if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}

/** IPv6 ranges that can lead to an IPv4 address of an internal network, or to one site, though ipaddr.js calls them unicast. */
const NEVER = ['::/96', '::ffff:0:0/96', 'fec0::/10', '2002::/16', '2001::/32', '64:ff9b::/96', '64:ff9b:1::/48'].map(
  (range) => ipaddr.IPv6.parseCIDR(range),
);

/** Public addresses that a cloud serves only to its own machines: Azure's wire server. */
const INSIDE_CLOUDS: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Ensures that an address belongs to the public internet and does not contain another address (SSRF). */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || INSIDE_CLOUDS.has(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || !NEVER.some(([network, bits]) => (parsed as ipaddr.IPv6).match(network, bits));
}
