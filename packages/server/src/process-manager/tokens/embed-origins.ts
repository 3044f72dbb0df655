import type { Db, TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ID_PATTERN, type TenantId } from '../../kernel/ids.ts';
import { findInstanceView } from '../instances/process-instances.repository.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { findToken } from './process-tokens.repository.ts';

/** Which journey a page is asked for: by its instance, or by the process token that will make one. */
export type AskedJourney = { readonly instanceId: string | undefined; readonly tokenId: string | undefined };

type EmbedDeps = { baseUrlOf(tenantId: string): string };

/** Whether pages of an origin may frame a journey. Each environment has a list of its own. */
export function embedOrigins(db: Db, deps: EmbedDeps) {
  const mayFrame = frameRule(deps);
  return {
    async mayFrameJourney(tenantId: TenantId, origin: string, journey: AskedJourney): Promise<boolean> {
      const reads = db.of(tenantId);
      const environment = await environmentOf(reads, journey);
      return environment !== undefined && mayFrame(reads, environment, origin);
    },
    /** A custom page holds nothing of anybody, and is shown in journeys of both environments. */
    async mayFramePage(tenantId: TenantId, origin: string): Promise<boolean> {
      const reads = db.of(tenantId);
      return (await mayFrame(reads, 'live', origin)) || mayFrame(reads, 'test', origin);
    },
  };
}

/**
 * Whether a page of that origin may frame journeys of the environment. The console of the tenant has the origin of the
 * tenant: it shows test journeys without being listed, and live ones never unless it is.
 */
export function frameRule({ baseUrlOf }: EmbedDeps) {
  return async (db: TenantReads, environment: Environment, origin: string): Promise<boolean> =>
    (environment === 'test' && origin === new URL(baseUrlOf(db.tenantId)).origin) ||
    (await findProcessSettings(db, environment)).embedOrigins.includes(origin);
}

async function environmentOf(db: TenantReads, { instanceId, tokenId }: AskedJourney): Promise<Environment | undefined> {
  if (instanceId !== undefined) {
    return ID_PATTERN.test(instanceId) ? (await findInstanceView(db, instanceId))?.environment : undefined;
  }
  return tokenId !== undefined && ID_PATTERN.test(tokenId) ? (await findToken(db, tokenId))?.environment : undefined;
}

/** The token that a link names, whatever has become of it. */
export async function linkTarget(db: TenantReads, tokenId: string) {
  const row = await findToken(db, tokenId);
  return row && { environment: row.environment, parameters: JSON.parse(row.parameters) as Record<string, string> };
}

/** Where end users of a tenant are at home: the first website among those that they may be sent to. */
export async function homeOf(db: TenantReads): Promise<string | undefined> {
  const { redirectOrigins } = await findProcessSettings(db, 'live');
  return redirectOrigins.find((origin) => origin.startsWith('https://'));
}
