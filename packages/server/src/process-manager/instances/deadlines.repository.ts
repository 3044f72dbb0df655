import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

const OVERDUE = sql(`SELECT id FROM process_instances
  WHERE tenant_id = $1 AND deadline_at IS NOT NULL AND deadline_at <= $2 ORDER BY deadline_at LIMIT $3 + 0`);
const POSTPONE = sql(`UPDATE process_instances SET deadline_at = $3
  WHERE tenant_id = $1 AND id = $2 AND deadline_at IS NOT NULL`);

/** Instances whose time as a whole is over. */
export async function overdueInstances(db: TenantReads, now: number, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(OVERDUE, [db.tenantId, now, limit]);
  return rows.map(({ id }) => id);
}

/** The instance could not be ended. It is tried again then. */
export async function postponeDeadline(tx: TenantTx, instanceId: string, until: number): Promise<void> {
  await tx.run(POSTPONE, [tx.tenantId, instanceId, until]);
}
