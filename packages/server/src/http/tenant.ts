import type { Config } from '../config.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import { ApiError } from '../kernel/errors.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';
import { isRegion, type Region } from '../kernel/regions.ts';
import type { HomeOf } from './send-home.ts';

/**
 * The tenant in a host name: `<tenantId>.<region>.<domain>`. The credential decides the tenant; a host that names another is
 * refused later. A host of another form (localhost, an address, a domain of the operator) names no tenant.
 */
export type HostTenant = (host: string | undefined) => TenantId | undefined;

/** The name of a host in one spelling, without its port. */
export function hostNameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase().replace(/\.$/, '');
}

const MAX_HOSTS = 1000;

type HostParts = { readonly tenant?: TenantId; readonly region?: Region };
const NO_PARTS: HostParts = {};

export function hostTenant({ region, domain }: Pick<Config, 'region' | 'domain'>): HostTenant {
  const partsOf = hostReader(domain);
  return (host) => {
    const parts = partsOf(host);
    if (parts.region !== undefined && parts.region !== region)
      throw new ApiError(100013, { detail: `this is region ${region}` });
    return parts.tenant;
  };
}

/** `elsewhere` returns the region of a tenant that does not live in this one. */
export function hostHome(
  { domain }: Pick<Config, 'domain'>,
  elsewhere: (tenantId: string) => Region | undefined,
  baseUrlOf: (tenantId: string, region: Region) => string,
): HomeOf {
  const partsOf = hostReader(domain);
  return (host) => {
    const { tenant } = partsOf(host);
    const region = tenant && elsewhere(tenant);
    return region && { region, baseUrl: baseUrlOf(tenant, region) };
  };
}

function hostReader(domain: string): (host: string | undefined) => HostParts {
  const cache = boundedMap<string, HostParts>(MAX_HOSTS);
  const suffix = `.${domain}`;

  const parseHost = (host: string): HostParts => {
    const name = hostNameOf(host);
    if (!name.endsWith(suffix)) return NO_PARTS;
    const [tenant = '', region = '', ...more] = name.slice(0, -suffix.length).split('.');
    if (more.length > 0 || !isRegion(region)) return NO_PARTS;
    return isTenantId(tenant) ? { tenant, region } : { region };
  };

  return (host) => {
    if (host === undefined) return NO_PARTS;
    const cached = cache.get(host);
    if (cached) return cached;
    const parts = parseHost(host);
    if (host.length <= 255) cache.set(host, parts);
    return parts;
  };
}
