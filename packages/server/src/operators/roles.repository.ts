import type { TenantReads, TenantTx } from '../db/db.ts';
import { FOR_UPDATE } from '../db/sql/dialect.ts';
import { integer, optional, type RowOf, table, text } from '../db/sql/table.ts';

/** A role of the tenant's own. */
const roles = table('operator_roles', {
  tenant_id: text(),
  name: text(),
  name_folded: text(),
  description: optional(text()),
  /** A JSON array. */
  permissions: text(),
  /** A JSON array. */
  environments: text(),
  /** Whether personal data is masked. */
  masked: integer<0 | 1>(),
  created_at: integer(),
  created_by: text(),
  last_updated_at: integer(),
  last_updated_by: text(),
});
const { columns } = roles;
export type RoleRow = RowOf<typeof roles>;

export const MAX_ROLES = 100;
const ADD = roles.insert();
const ONE = roles.select(columns, 'WHERE tenant_id = :tenant_id AND name = :name');
const ONE_FOR_UPDATE = roles.select(
  columns,
  `WHERE tenant_id = :tenant_id AND name = :name
  ${FOR_UPDATE}`,
);
const ALL = roles.select(columns, `WHERE tenant_id = :tenant_id ORDER BY name_folded LIMIT ${MAX_ROLES}`);
const CHANGE = roles.update(
  ['description', 'permissions', 'environments', 'masked', 'last_updated_at', 'last_updated_by'],
  'WHERE tenant_id = :tenant_id AND name = :name',
);
const REMOVE = roles.delete('WHERE tenant_id = :tenant_id AND name = :name');

export async function addRole(tx: TenantTx, row: RoleRow): Promise<void> {
  await ADD.run(tx, row);
}

export function findRoleRow(db: TenantReads, name: string): Promise<RoleRow | undefined> {
  return ONE.get(db, { name });
}

export function findRoleForUpdate(tx: TenantTx, name: string): Promise<RoleRow | undefined> {
  return ONE_FOR_UPDATE.get(tx, { name });
}

export function allRoles(db: TenantReads): Promise<RoleRow[]> {
  return ALL.all(db, {});
}

export async function changeRole(tx: TenantTx, row: RoleRow): Promise<void> {
  await CHANGE.run(tx, row);
}

export async function removeRole(tx: TenantTx, name: string): Promise<void> {
  await REMOVE.run(tx, { name });
}
