import { sql, type TenantReads, type TenantTx } from '../db/db.ts';
import { FOR_UPDATE } from '../db/sql/dialect.ts';

/** A role of the tenant's own. */
export type RoleRow = {
  name: string;
  name_folded: string;
  description: string | null;
  /** A JSON array. */
  permissions: string;
  /** A JSON array. */
  environments: string;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
};

export const MAX_ROLES = 100;
const COLUMNS = `name, name_folded, description, permissions, environments, created_at, created_by, last_updated_at,
  last_updated_by`;
const ADD = sql(`INSERT INTO operator_roles (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
const ONE = sql(`SELECT ${COLUMNS} FROM operator_roles WHERE tenant_id = $1 AND name = $2`);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM operator_roles WHERE tenant_id = $1 AND name = $2
  ${FOR_UPDATE}`);
const ALL = sql(`SELECT ${COLUMNS} FROM operator_roles WHERE tenant_id = $1 ORDER BY name_folded LIMIT ${MAX_ROLES}`);
const CHANGE = sql(`UPDATE operator_roles SET description = $3, permissions = $4, environments = $5,
  last_updated_at = $6, last_updated_by = $7 WHERE tenant_id = $1 AND name = $2`);
const REMOVE = sql('DELETE FROM operator_roles WHERE tenant_id = $1 AND name = $2');

export async function addRole(tx: TenantTx, row: RoleRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.name, row.name_folded, row.description, row.permissions, row.environments],
    ...[row.created_at, row.created_by, row.last_updated_at, row.last_updated_by],
  ]);
}

export function findRoleRow(db: TenantReads, name: string): Promise<RoleRow | undefined> {
  return db.get<RoleRow>(ONE, [db.tenantId, name]);
}

export function findRoleForUpdate(tx: TenantTx, name: string): Promise<RoleRow | undefined> {
  return tx.get<RoleRow>(ONE_FOR_UPDATE, [tx.tenantId, name]);
}

export function allRoles(db: TenantReads): Promise<RoleRow[]> {
  return db.all<RoleRow>(ALL, [db.tenantId]);
}

export async function changeRole(tx: TenantTx, row: RoleRow): Promise<void> {
  await tx.run(CHANGE, [
    ...[tx.tenantId, row.name, row.description, row.permissions, row.environments],
    ...[row.last_updated_at, row.last_updated_by],
  ]);
}

export async function removeRole(tx: TenantTx, name: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, name]);
}
