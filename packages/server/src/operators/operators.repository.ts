import type { TenantReads, TenantTx } from '../db/db.ts';
import { lockName } from '../db/named-lock.ts';
import { FOR_UPDATE, inList } from '../db/sql/dialect.ts';
import { NAME_FILTER } from '../db/sql/list.ts';
import { query } from '../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, TRACKED, table, text } from '../db/sql/table.ts';
import { sortable } from '../kernel/pages.ts';

export type OperatorStatus = 'INVITED' | 'ACTIVE' | 'SUSPENDED';

const operators = table('operators', {
  tenant_id: text(),
  id: text(),
  name: text(),
  name_folded: text(),
  /** Empty until the first owner has entered it. */
  email: text(),
  email_folded: text(),
  role: text(),
  status: text<OperatorStatus>(),
  failures: integer(),
  locked_until: optional(integer()),
  last_sign_in_at: optional(integer()),
  link_hash: optional(bytes()),
  link_expires_at: optional(integer()),
  /** Issuer and subject of the account at the provider; empty for an operator who signs in with a passkey. */
  sso_account: text(),
  /** 1 for an operator of the installation, who may do what concerns all tenants. */
  of_installation: integer<0 | 1>(),
  ...TRACKED,
});
const { columns } = operators;
export type OperatorRow = RowOf<typeof operators>;

export const SORTABLE = sortable('id', 'name', 'role', 'status', 'createdDtm', 'lastSignInDtm');
const OTHER_OWNER = query<{ id: string }>()(`SELECT id FROM operators WHERE tenant_id = :tenant_id AND id <> :id
  AND role = 'Owner' AND status = 'ACTIVE' LIMIT 1`);
const BY_ROLE = query<{ role: string; total: number }>()(
  'SELECT role, count(*) AS total FROM operators WHERE tenant_id = :tenant_id GROUP BY role',
);

export const addOperator = operators.insert().run;
export const findOperator = operators.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id').get;

export const findOperatorForUpdate = operators.select(
  columns,
  `WHERE tenant_id = :tenant_id AND id = :id ${FOR_UPDATE}`,
).get;

export const findByLink = operators.select(
  columns,
  `WHERE tenant_id = :tenant_id AND link_hash = :hash AND link_expires_at > :now
  ${FOR_UPDATE}`,
).get;

export const findByAccount = operators.select(
  columns,
  `WHERE tenant_id = :tenant_id AND sso_account = :account AND sso_account <> '' ${FOR_UPDATE}`,
).get;

export const findByEmail = operators.select(
  columns,
  `WHERE tenant_id = :tenant_id AND email_folded = :email AND email_folded <> '' ${FOR_UPDATE}`,
).get;

export const changeOperator = operators.update(
  columns.filter((name) => !['id', 'created_at', 'created_by'].includes(name)),
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;
export const removeOperator = operators.delete('WHERE tenant_id = :tenant_id AND id = :id').run;

export const countOperators = operators.count('WHERE tenant_id = :tenant_id');

/**
 * Whether another operator is an owner who can sign in. Callers take turns until their transactions end: of two owners
 * who remove each other, the second is refused. Locking the rows of owners instead could deadlock.
 */
export async function hasOtherOwner(tx: TenantTx, id: string): Promise<boolean> {
  lockName(tx, 'owners');
  return (await OTHER_OWNER.get(tx, { id })) !== undefined;
}

export async function countByRole(db: TenantReads): Promise<Map<string, number>> {
  const rows = await BY_ROLE.all(db, {});
  return new Map(rows.map(({ role, total }) => [role, total]));
}

type ActiveOperator = { id: string; name: string; email: string };

export const activeAmong = query<ActiveOperator>()(`SELECT id, name, email FROM operators
  WHERE tenant_id = :tenant_id AND status = 'ACTIVE' AND id ${inList(':ids')}`).all;

export const activeOperators = query<{ id: string; name: string }>()(`SELECT id, name FROM operators
  WHERE tenant_id = :tenant_id AND status = 'ACTIVE' ORDER BY name_folded, id LIMIT 1000`).all;

export const allOperators = operators.select(
  columns,
  'WHERE tenant_id = :tenant_id ORDER BY name_folded, id LIMIT 1000',
).all;

export const pageOperators = operators.list(columns, 'WHERE tenant_id = :tenant_id', NAME_FILTER);
