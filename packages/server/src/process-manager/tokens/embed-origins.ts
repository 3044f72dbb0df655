import type { Db, TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ID_PATTERN, type TenantId } from '../../kernel/ids.ts';
import { findInstanceView } from '../instances/process-instances.repository.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { findToken } from './process-tokens.repository.ts';

/** The journey of a page request: its instance, or the process token that will create one. */
export type JourneyRef = { readonly instanceId: string | undefined; readonly tokenId: string | undefined };

type EmbedDeps = { baseUrlOf(tenantId: string): string };

/** Whether pages of an origin may frame a journey. Each environment has its own list. */
export function embedOrigins(db: Db, deps: EmbedDeps) {
  const mayFrame = frameRule(deps);
  return {
    async mayFrameJourney(tenantId: TenantId, origin: string, journey: JourneyRef): Promise<boolean> {
      const reads = db.of(tenantId);
      const environment = await environmentOf(reads, journey);
      return environment !== undefined && mayFrame(reads, environment, origin);
    },
    /** A custom page holds no personal data and is shown in journeys of both environments, so either list counts. */
    async mayFramePage(tenantId: TenantId, origin: string): Promise<boolean> {
      const reads = db.of(tenantId);
      return (await mayFrame(reads, 'live', origin)) || mayFrame(reads, 'test', origin);
    },
  };
}

/**
 * Whether a page of that origin may frame journeys of the environment. The console has the origin of the tenant: it may frame
 * test journeys without being listed, and live ones only if it is listed.
 */
export function frameRule({ baseUrlOf }: EmbedDeps) {
  return async (db: TenantReads, environment: Environment, origin: string): Promise<boolean> =>
    (environment === 'test' && origin === new URL(baseUrlOf(db.tenantId)).origin) ||
    (await findProcessSettings(db, environment)).embedOrigins.includes(origin);
}

async function environmentOf(db: TenantReads, { instanceId, tokenId }: JourneyRef): Promise<Environment | undefined> {
  if (instanceId !== undefined) {
    return ID_PATTERN.test(instanceId) ? (await findInstanceView(db, instanceId))?.environment : undefined;
  }
  return tokenId !== undefined && ID_PATTERN.test(tokenId) ? (await findToken(db, tokenId))?.environment : undefined;
}

/** The token of a link, in any status. */
export async function linkTarget(db: TenantReads, tokenId: string) {
  const row = await findToken(db, tokenId);
  return row && { environment: row.environment, parameters: JSON.parse(row.parameters) as Record<string, string> };
}

/** The home page of a tenant's end users: the first website in its list of redirects. */
export async function homeOf(db: TenantReads): Promise<string | undefined> {
  const { redirectOrigins } = await findProcessSettings(db, 'live');
  return redirectOrigins.find((origin) => origin.startsWith('https://'));
}
