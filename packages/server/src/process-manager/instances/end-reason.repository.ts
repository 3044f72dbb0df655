import { sql, type TenantReads } from '../../db/db.ts';

const TERMINATED = sql(`SELECT data FROM instance_events
  WHERE tenant_id = $1 AND instance_id = $2 AND type = 'instance.terminated' ORDER BY sequence DESC LIMIT 1`);

/** Why an instance was terminated: `timeout` or `abandoned`. */
export async function endReason(db: TenantReads, instanceId: string): Promise<string | undefined> {
  const row = await db.get<{ data: string | null }>(TERMINATED, [db.tenantId, instanceId]);
  return row?.data ? (JSON.parse(row.data) as { reason?: string }).reason : undefined;
}
