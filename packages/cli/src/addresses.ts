import type { Config } from '@grove/server';

type Listening = Pick<Config, 'host' | 'domain'>;

/**
 * The base address to show. Names below localhost are for browsers and curl; not every resolver knows them, and Node
 * asks the resolver. The plain address works everywhere on this machine, because the credential decides the tenant.
 */
export function shownUrl(config: Listening, port: number, tenantUrl: string | null): string {
  return tenantUrl === null || config.domain === 'localhost' ? plainUrl(config, port) : tenantUrl;
}

/** Where the server listens, which names no tenant. */
function plainUrl({ host }: Listening, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** The tenant, and its own address where that is not the one shown already. */
export function shownTenant(tenantId: string, tenantUrl: string | null, baseUrl: string | null): string {
  return tenantUrl === null || tenantUrl === baseUrl ? tenantId : `${tenantId} (${tenantUrl})`;
}
