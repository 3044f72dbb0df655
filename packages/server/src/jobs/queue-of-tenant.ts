import type { Db } from '../db/db.ts';
import type { TenantId } from '../kernel/ids.ts';
import { queuesOfTenant } from './queue-of-tenant.repository.ts';

/** The depths of the installation's queues for one tenant, which cannot read them itself. */
export type QueuesOfTenant = Awaited<ReturnType<typeof queuesOfTenant>>;

export function readQueues({ system }: Pick<Db, 'system'>, tenantId: TenantId, now: number): Promise<QueuesOfTenant> {
  return queuesOfTenant(system, tenantId, now);
}
