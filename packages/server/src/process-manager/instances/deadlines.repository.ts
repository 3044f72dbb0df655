import { sql, type TenantReads } from '../../db/db.ts';

const OVERDUE = sql(`SELECT id FROM process_instances
  WHERE tenant_id = $1 AND deadline_at IS NOT NULL AND deadline_at <= $2 ORDER BY deadline_at LIMIT $3 + 0`);

/** Instances whose time as a whole is over. */
export async function overdueInstances(db: TenantReads, now: number, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(OVERDUE, [db.tenantId, now, limit]);
  return rows.map(({ id }) => id);
}
