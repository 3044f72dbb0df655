import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';

const OVERDUE = query<{ id: string }>()(`SELECT id FROM process_instances
  WHERE tenant_id = :tenant_id AND deadline_at IS NOT NULL AND deadline_at <= :now
  ORDER BY deadline_at LIMIT :limit + 0`);
const POSTPONE = statement(`UPDATE process_instances SET deadline_at = :until
  WHERE tenant_id = :tenant_id AND id = :instanceId AND deadline_at IS NOT NULL`);

/** Instances whose time as a whole is over. */
export async function overdueInstances(db: TenantReads, now: number, limit: number): Promise<string[]> {
  const rows = await OVERDUE.all(db, { now, limit });
  return rows.map(({ id }) => id);
}

/** The instance could not be ended. It is tried again then. */
export async function postponeDeadline(tx: TenantTx, instanceId: string, until: number): Promise<void> {
  POSTPONE.send(tx, { instanceId, until });
}
