import type { TenantReads } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';

const TERMINATED = query<{ data: string | null }>()(`SELECT data FROM instance_events
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND type = 'instance.terminated'
  ORDER BY sequence DESC LIMIT 1`);

/** Why an instance was terminated: `timeout`, `abandoned` or `cancelled`. */
export async function endReason(db: TenantReads, instanceId: string): Promise<string | undefined> {
  const row = await TERMINATED.get(db, { instanceId });
  return row?.data ? (JSON.parse(row.data) as { reason?: string }).reason : undefined;
}
