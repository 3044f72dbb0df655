import type { TenantReads } from '../../db/db.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { findToken } from './process-tokens.repository.ts';

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
