import type { TenantReads } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import { toDtm } from '../../kernel/clock.ts';

type Row = { browser: string; created_at: number; expires_at: number };

const MAX_SESSIONS = 1000;
const OF_INSTANCE = query<Row>()(`SELECT browser, created_at, expires_at FROM journey_sessions
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId ORDER BY created_at, id LIMIT ${MAX_SESSIONS}`);

/** From which browsers the journey of an instance was used, for whoever hands out everything about it. */
export async function sessionsOf(db: TenantReads, instanceId: string) {
  const rows = await OF_INSTANCE.all(db, { instanceId });
  return rows.map(({ browser, created_at, expires_at }) => ({
    browser,
    createdDtm: toDtm(created_at),
    expiringDtm: toDtm(expires_at),
  }));
}
