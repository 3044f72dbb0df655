import type { TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { MAX_REDIRECT_LENGTH, redirectFault } from './redirect-rules.ts';
import { findProcessSettings } from './settings.repository.ts';

/** Whether an end user may be sent there now: the list may have changed since the address was given. */
export async function redirectAllowed(db: TenantReads, environment: Environment, url: string): Promise<boolean> {
  const { redirectOrigins } = await findProcessSettings(db, environment);
  return redirectFault(url, { origins: redirectOrigins, maxLength: MAX_REDIRECT_LENGTH }) === undefined;
}
