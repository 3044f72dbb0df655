import type { Config } from '@grove/server';

type ListenConfig = Pick<Config, 'host' | 'domain'>;

/**
 * The base address to show. Names below localhost are for browsers and curl: not every resolver knows them, and Node
 * asks the resolver. The plain address works everywhere on this machine, because the credential names the tenant.
 */
export function shownUrl(config: ListenConfig, port: number, tenantUrl: string | null): string {
  return tenantUrl === null || config.domain === 'localhost' ? plainUrl(config, port) : tenantUrl;
}

/** The address of the server itself, which names no tenant. */
function plainUrl({ host }: ListenConfig, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** The tenant, and its own address unless that is already shown. */
export function shownTenant(tenantId: string, tenantUrl: string | null, baseUrl: string | null): string {
  return tenantUrl === null || tenantUrl === baseUrl ? tenantId : `${tenantId} (${tenantUrl})`;
}
