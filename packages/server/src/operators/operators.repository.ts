import type { TenantReads, TenantTx } from '../db/db.ts';
import { FOR_UPDATE, inJson } from '../db/sql/dialect.ts';
import { query } from '../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../db/sql/table.ts';
import type { Paging } from '../kernel/pages.ts';

export type OperatorStatus = 'INVITED' | 'ACTIVE' | 'SUSPENDED';

const operators = table('operators', {
  tenant_id: text(),
  id: text(),
  name: text(),
  name_folded: text(),
  /** Empty until the first owner has written it down. */
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
  created_at: integer(),
  created_by: text(),
  last_updated_at: integer(),
  last_updated_by: text(),
});
const { columns } = operators;
export type OperatorRow = RowOf<typeof operators>;

export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  role: 'role',
  status: 'status',
  createdDtm: 'created_at',
  lastSignInDtm: 'last_sign_in_at',
} as const;

const ADD = operators.insert();
const ONE = operators.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id');
const ONE_FOR_UPDATE = operators.select(columns, `WHERE tenant_id = :tenant_id AND id = :id ${FOR_UPDATE}`);
const BY_LINK = operators.select(
  columns,
  `WHERE tenant_id = :tenant_id AND link_hash = :hash AND link_expires_at > :now
  ${FOR_UPDATE}`,
);
const BY_ACCOUNT = operators.select(
  columns,
  `WHERE tenant_id = :tenant_id AND sso_account = :account AND sso_account <> '' ${FOR_UPDATE}`,
);
const BY_EMAIL = operators.select(
  columns,
  `WHERE tenant_id = :tenant_id AND email_folded = :email AND email_folded <> '' ${FOR_UPDATE}`,
);
const CHANGE = operators.update(
  [
    'name',
    'name_folded',
    'email',
    'email_folded',
    'role',
    'status',
    'failures',
    'locked_until',
    'last_sign_in_at',
    'link_hash',
    'link_expires_at',
    'sso_account',
    'of_installation',
    'last_updated_at',
    'last_updated_by',
  ],
  'WHERE tenant_id = :tenant_id AND id = :id',
);
const REMOVE = operators.delete('WHERE tenant_id = :tenant_id AND id = :id');
const COUNT = operators.count('WHERE tenant_id = :tenant_id');
const COUNT_LIKE = operators.count(`WHERE tenant_id = :tenant_id AND name_folded LIKE :pattern ESCAPE '\\'`);
/** Locked, so that of two who each remove one of two owners, one waits for the other. */
const OWNERS = query<{
  id: string;
}>()(`SELECT id FROM operators WHERE tenant_id = :tenant_id AND role = 'Owner' AND status = 'ACTIVE' ORDER BY id
  LIMIT 1000 ${FOR_UPDATE}`);
const BY_ROLE = query<{ role: string; total: number }>()(
  'SELECT role, count(*) AS total FROM operators WHERE tenant_id = :tenant_id GROUP BY role',
);
const ALL = operators.select(columns, 'WHERE tenant_id = :tenant_id ORDER BY name_folded, id LIMIT 1000');

export async function addOperator(tx: TenantTx, row: OperatorRow): Promise<void> {
  await ADD.run(tx, row);
}

export function findOperator(db: TenantReads, id: string): Promise<OperatorRow | undefined> {
  return ONE.get(db, { id });
}

export function findOperatorForUpdate(tx: TenantTx, id: string): Promise<OperatorRow | undefined> {
  return ONE_FOR_UPDATE.get(tx, { id });
}

export function findByLink(tx: TenantTx, hash: Uint8Array, now: number): Promise<OperatorRow | undefined> {
  return BY_LINK.get(tx, { hash, now });
}

export function findByAccount(tx: TenantTx, account: string): Promise<OperatorRow | undefined> {
  return BY_ACCOUNT.get(tx, { account });
}

export function findByEmail(tx: TenantTx, foldedEmail: string): Promise<OperatorRow | undefined> {
  return BY_EMAIL.get(tx, { email: foldedEmail });
}

export async function changeOperator(tx: TenantTx, row: OperatorRow): Promise<void> {
  await CHANGE.run(tx, row);
}

export async function removeOperator(tx: TenantTx, id: string): Promise<void> {
  await REMOVE.run(tx, { id });
}

export async function countOperators(db: TenantReads, pattern?: string): Promise<number> {
  const row = pattern === undefined ? await COUNT.get(db, {}) : await COUNT_LIKE.get(db, { pattern });
  return row?.total ?? 0;
}

export async function activeOwners(tx: TenantTx): Promise<string[]> {
  return (await OWNERS.all(tx, {})).map(({ id }) => id);
}

/** How many operators have each role. */
export async function countByRole(db: TenantReads): Promise<Map<string, number>> {
  const rows = await BY_ROLE.all(db, {});
  return new Map(rows.map(({ role, total }) => [role, total]));
}

type ActiveOperator = { id: string; name: string; email: string };
const ACTIVE_AMONG = query<ActiveOperator>()(`SELECT id, name, email FROM operators
  WHERE tenant_id = :tenant_id AND status = 'ACTIVE' AND id ${inJson(':ids')}`);
const ACTIVE = query<{ id: string; name: string }>()(`SELECT id, name FROM operators
  WHERE tenant_id = :tenant_id AND status = 'ACTIVE' ORDER BY name_folded, id LIMIT 1000`);

/** Those of the operators who can sign in. */
export function activeAmong(db: TenantReads, ids: readonly string[]): Promise<ActiveOperator[]> {
  return ACTIVE_AMONG.all(db, { ids: JSON.stringify(ids) });
}

export function activeOperators(db: TenantReads): Promise<{ id: string; name: string }[]> {
  return ACTIVE.all(db, {});
}

export function allOperators(db: TenantReads): Promise<OperatorRow[]> {
  return ALL.all(db, {});
}

const LIST = operators.list(columns, 'WHERE tenant_id = :tenant_id', {
  pattern: "AND name_folded LIKE :pattern ESCAPE '\\'",
});

export function pageOperators(db: TenantReads, pattern: string | undefined, paging: Paging): Promise<OperatorRow[]> {
  return LIST.page(db, { pattern }, paging);
}
