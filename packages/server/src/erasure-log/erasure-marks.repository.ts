import type { TenantReads, TenantTx } from '../db/db.ts';
import { query, statement } from '../db/sql/statement.ts';

/** Until when everything that was erased is gone from this database. */
const NAME = 'retention.erasuresKnown';
const READ_KNOWN = query<{ at: string }>()(
  'SELECT value AS at FROM tenant_settings WHERE tenant_id = :tenant_id AND name = :NAME',
);
const SET_KNOWN = statement(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES (:tenant_id, :NAME, :at, :last_updated_at, :last_updated_by) ON CONFLICT (tenant_id, name)
  DO UPDATE SET value = excluded.value, last_updated_at = excluded.last_updated_at`);

export async function erasuresKnownUntil(db: TenantReads): Promise<number | undefined> {
  const row = await READ_KNOWN.get(db, { NAME });
  return row && Number(row.at);
}

export async function setErasuresKnown(tx: TenantTx, at: number): Promise<void> {
  await SET_KNOWN.run(tx, { NAME, at: String(at), last_updated_at: at, last_updated_by: 'Retention' });
}
