import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { RowOf } from '../../db/sql/table.ts';
import { tenantSettings } from '../../db/tenant-settings.ts';
import type { Environment } from '../../kernel/environment.ts';

/** The shadow versions, one setting of the tenant for each. */
export type ShadowRow = RowOf<typeof tenantSettings>;

const { columns } = tenantSettings;
const nameOf = (environment: Environment, definitionId: string) => `shadow:${environment}:${definitionId}`;

const ALL = tenantSettings.select(
  columns,
  'WHERE tenant_id = :tenant_id AND name LIKE :pattern ORDER BY name LIMIT :limit + 0',
);
const ONE = tenantSettings.select(columns, 'WHERE tenant_id = :tenant_id AND name = :name');
const ADD = tenantSettings.insert('ON CONFLICT (tenant_id, name) DO NOTHING');
const REMOVE = tenantSettings.delete('WHERE tenant_id = :tenant_id AND name = :name');

/** `value` is the id of the definition. */
export function shadowVersionsIn(db: TenantReads, environment: Environment, limit: number): Promise<ShadowRow[]> {
  return ALL.all(db, { pattern: `shadow:${environment}:%`, limit });
}

export function findShadowVersion(db: TenantReads, environment: Environment, definitionId: string) {
  return ONE.get(db, { name: nameOf(environment, definitionId) });
}

type NewShadowVersion = { environment: Environment; definitionId: string; by: string; now: number };

/** Does nothing if the version is already a shadow version. */
export async function addShadowVersion(
  tx: TenantTx,
  { environment, definitionId, by, now }: NewShadowVersion,
): Promise<void> {
  const name = nameOf(environment, definitionId);
  await ADD.run(tx, { name, value: definitionId, last_updated_at: now, last_updated_by: by });
}

export async function removeShadowVersion(
  tx: TenantTx,
  environment: Environment,
  definitionId: string,
): Promise<boolean> {
  return REMOVE.changes(tx, { name: nameOf(environment, definitionId) });
}
