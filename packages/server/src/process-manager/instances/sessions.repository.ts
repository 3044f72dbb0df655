import { sql, type TenantReads } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';

const MAX_SESSIONS = 1000;
const OF_INSTANCE = sql(`SELECT browser, created_at, expires_at FROM journey_sessions
  WHERE tenant_id = $1 AND instance_id = $2 ORDER BY created_at, id LIMIT ${MAX_SESSIONS}`);

/** From which browsers the journey of an instance was used, for whoever hands out everything about it. */
export async function sessionsOf(db: TenantReads, instanceId: string) {
  type Row = { browser: string; created_at: number; expires_at: number };
  const rows = await db.all<Row>(OF_INSTANCE, [db.tenantId, instanceId]);
  return rows.map(({ browser, created_at, expires_at }) => ({
    browser,
    createdDtm: toDtm(created_at),
    expiringDtm: toDtm(expires_at),
  }));
}
