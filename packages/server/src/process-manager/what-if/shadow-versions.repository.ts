import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';

/** Which versions are judged beside those that run: a setting of the tenant for each. */
export type ShadowRow = { name: string; value: string; last_updated_at: number; last_updated_by: string };

const nameOf = (environment: Environment, definitionId: string) => `shadow:${environment}:${definitionId}`;

const OF_TENANT = 'WHERE tenant_id = :tenant_id';
const ALL = query<ShadowRow>()(`SELECT name, value, last_updated_at, last_updated_by FROM tenant_settings
  ${OF_TENANT} AND name LIKE :pattern ORDER BY name LIMIT :limit + 0`);
const ONE = query<ShadowRow>()(`SELECT name, value, last_updated_at, last_updated_by FROM tenant_settings
  ${OF_TENANT} AND name = :name`);
const ADD = statement(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES (:tenant_id, :name, :definitionId, :now, :by) ON CONFLICT (tenant_id, name) DO NOTHING`);
const REMOVE = statement(`DELETE FROM tenant_settings ${OF_TENANT} AND name = :name`);

/** `value` is the id of the definition. */
export function shadowVersionsIn(db: TenantReads, environment: Environment, limit: number): Promise<ShadowRow[]> {
  return ALL.all(db, { pattern: `shadow:${environment}:%`, limit });
}

export function findShadowVersion(db: TenantReads, environment: Environment, definitionId: string) {
  return ONE.get(db, { name: nameOf(environment, definitionId) });
}

type NewShadowVersion = { environment: Environment; definitionId: string; by: string; now: number };

/** Does nothing if the version is there already. */
export async function addShadowVersion(
  tx: TenantTx,
  { environment, definitionId, by, now }: NewShadowVersion,
): Promise<void> {
  await ADD.run(tx, { name: nameOf(environment, definitionId), definitionId, by, now });
}

export async function removeShadowVersion(
  tx: TenantTx,
  environment: Environment,
  definitionId: string,
): Promise<boolean> {
  return REMOVE.changes(tx, { name: nameOf(environment, definitionId) });
}
