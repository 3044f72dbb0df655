import type { Db } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { findProcessSettings } from './settings.repository.ts';

/** Whether a tenant has set that unknown members of requests are ignored, where that is possible. */
export function lenientTenants(db: Db) {
  return async ({ tenantId, environment }: { tenantId: TenantId; environment: Environment }): Promise<boolean> =>
    (await findProcessSettings(db.of(tenantId), environment)).lenientRequests;
}
