import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

/** What a tenant sets for all its journeys. */
export type ProcessSettings = { readonly redirectOrigins: readonly string[] };

const NAME = 'process';
const DEFAULTS: ProcessSettings = { redirectOrigins: [] };

const ONE = sql('SELECT value FROM tenant_settings WHERE tenant_id = $1 AND name = $2');
const SET = sql(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value,
  last_updated_at = excluded.last_updated_at, last_updated_by = excluded.last_updated_by`);

export async function findProcessSettings(db: TenantReads): Promise<ProcessSettings> {
  const row = await db.get<{ value: string }>(ONE, [db.tenantId, NAME]);
  return row ? { ...DEFAULTS, ...(JSON.parse(row.value) as Partial<ProcessSettings>) } : DEFAULTS;
}

export async function setProcessSettings(
  tx: TenantTx,
  settings: ProcessSettings,
  { by, now }: { by: string; now: number },
): Promise<void> {
  await tx.run(SET, [tx.tenantId, NAME, JSON.stringify(settings), now, by]);
}
