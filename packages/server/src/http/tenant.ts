import type { Config } from '../config.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import { ApiError } from '../kernel/errors.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';

/**
 * Which tenant a host names: `<tenantId>.<region>.<domain>`. The credential decides who the tenant is; a host that names
 * another is refused later. A host that is not of this form (plain localhost, an address, a domain of the operator's
 * own) names none.
 */
export type HostTenant = (host: string | undefined) => TenantId | undefined;

/** The name of a host, without its port and in its one spelling. */
export function hostNameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase().replace(/\.$/, '');
}

const REGIONS: readonly string[] = ['fir', 'gum', 'oak'];
const MAX_HOSTS = 1000;

export function hostTenant({ region, domain }: Pick<Config, 'region' | 'domain'>): HostTenant {
  const cache = boundedMap<string, { tenant: TenantId | undefined; foreignRegion: boolean }>(MAX_HOSTS);
  const suffix = `.${domain}`;

  const parseHost = (host: string) => {
    const name = hostNameOf(host);
    if (!name.endsWith(suffix)) return { tenant: undefined, foreignRegion: false };
    const [tenant = '', where = '', ...more] = name.slice(0, -suffix.length).split('.');
    if (more.length > 0 || !REGIONS.includes(where)) return { tenant: undefined, foreignRegion: false };
    return { tenant: isTenantId(tenant) ? tenant : undefined, foreignRegion: where !== region };
  };

  return (host) => {
    if (host === undefined) return undefined;
    let resolved = cache.get(host);
    if (!resolved) {
      resolved = parseHost(host);
      if (host.length <= 255) cache.set(host, resolved);
    }
    if (resolved.foreignRegion) throw new ApiError(100013, { detail: `this is region ${region}` });
    return resolved.tenant;
  };
}
