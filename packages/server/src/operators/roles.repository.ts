import { FOR_UPDATE } from '../db/sql/dialect.ts';
import { integer, optional, type RowOf, TRACKED, table, text } from '../db/sql/table.ts';

const roles = table('operator_roles', {
  tenant_id: text(),
  name: text(),
  name_folded: text(),
  description: optional(text()),
  /** A JSON array. */
  permissions: text(),
  /** A JSON array. */
  environments: text(),
  masked: integer<0 | 1>(),
  ...TRACKED,
});
const { columns } = roles;
export type RoleRow = RowOf<typeof roles>;

export const MAX_ROLES = 100;
export const addRole = roles.insert().run;
export const findRoleRow = roles.select(columns, 'WHERE tenant_id = :tenant_id AND name = :name').get;

export const findRoleForUpdate = roles.select(
  columns,
  `WHERE tenant_id = :tenant_id AND name = :name
  ${FOR_UPDATE}`,
).get;

export const allRoles = roles.select(
  columns,
  `WHERE tenant_id = :tenant_id ORDER BY name_folded LIMIT ${MAX_ROLES}`,
).all;

export const changeRole = roles.update(
  ['description', 'permissions', 'environments', 'masked', 'last_updated_at', 'last_updated_by'],
  'WHERE tenant_id = :tenant_id AND name = :name',
).run;

export const removeRole = roles.delete('WHERE tenant_id = :tenant_id AND name = :name').run;
