import { sql, type TenantReads } from '../../db/db.ts';

/** Which of some instances are there, and since when there are any. */
const OLDEST = sql(`SELECT created_at AS at FROM process_instances WHERE tenant_id = $1
  AND id = (SELECT min(id) FROM process_instances WHERE tenant_id = $1)`);
const AMONG = sql(`SELECT id FROM process_instances WHERE tenant_id = $1 AND id IN
  (SELECT value FROM /*sqlite json_each(*//*postgres json_array_elements_text(CAST(*/$2/*postgres  AS json)*/))`);

/** When the first instance was made that is still there. */
export async function oldestInstance(db: TenantReads): Promise<number | undefined> {
  return (await db.get<{ at: number }>(OLDEST, [db.tenantId]))?.at;
}

export async function instancesAmong(db: TenantReads, ids: readonly string[]): Promise<string[]> {
  return (await db.all<{ id: string }>(AMONG, [db.tenantId, JSON.stringify(ids)])).map(({ id }) => id);
}
