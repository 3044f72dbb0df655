import { sql, type TenantReads, type TenantTx } from '../db/db.ts';

/** Until when everything that was erased is gone from this database. */
const NAME = 'retention.erasuresKnown';
const KNOWN = sql('SELECT value AS at FROM tenant_settings WHERE tenant_id = $1 AND name = $2');
const SET_KNOWN = sql(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, name)
  DO UPDATE SET value = excluded.value, last_updated_at = excluded.last_updated_at`);

export async function erasuresKnownUntil(db: TenantReads): Promise<number | undefined> {
  const found = await db.get<{ at: string }>(KNOWN, [db.tenantId, NAME]);
  return found && Number(found.at);
}

export async function setErasuresKnown(tx: TenantTx, at: number): Promise<void> {
  await tx.run(SET_KNOWN, [tx.tenantId, NAME, String(at), at, 'Retention']);
}
