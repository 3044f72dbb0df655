import { sql, type TenantReads, type TenantTx, unprepared } from '../db/db.ts';
import { FOR_UPDATE } from '../db/sql/dialect.ts';
import type { Paging } from '../kernel/pages.ts';

export type OperatorStatus = 'INVITED' | 'ACTIVE' | 'SUSPENDED';

export type OperatorRow = {
  id: string;
  name: string;
  name_folded: string;
  /** Empty until the first owner has written it down. */
  email: string;
  email_folded: string;
  role: string;
  status: OperatorStatus;
  failures: number;
  locked_until: number | null;
  last_sign_in_at: number | null;
  link_hash: Uint8Array | null;
  link_expires_at: number | null;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
};

export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  role: 'role',
  status: 'status',
  createdDtm: 'created_at',
  lastSignInDtm: 'last_sign_in_at',
} as const;

const COLUMNS = `id, name, name_folded, email, email_folded, role, status, failures, locked_until, last_sign_in_at,
  link_hash, link_expires_at, created_at, created_by, last_updated_at, last_updated_by`;
const ADD = sql(`INSERT INTO operators (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`);
const ONE = sql(`SELECT ${COLUMNS} FROM operators WHERE tenant_id = $1 AND id = $2`);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM operators WHERE tenant_id = $1 AND id = $2 ${FOR_UPDATE}`);
const BY_LINK = sql(`SELECT ${COLUMNS} FROM operators WHERE tenant_id = $1 AND link_hash = $2 AND link_expires_at > $3
  ${FOR_UPDATE}`);
const CHANGE = sql(`UPDATE operators SET name = $3, name_folded = $4, email = $5, email_folded = $6, role = $7,
  status = $8, failures = $9, locked_until = $10, last_sign_in_at = $11, link_hash = $12, link_expires_at = $13,
  last_updated_at = $14, last_updated_by = $15 WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM operators WHERE tenant_id = $1 AND id = $2');
const COUNT = sql('SELECT count(*) AS total FROM operators WHERE tenant_id = $1');
const COUNT_LIKE = sql(
  "SELECT count(*) AS total FROM operators WHERE tenant_id = $1 AND name_folded LIKE $2 ESCAPE '\\'",
);
/** Locked, so that of two who each remove one of two owners, one waits for the other. */
const OWNERS = sql(`SELECT id FROM operators WHERE tenant_id = $1 AND role = 'Owner' AND status = 'ACTIVE' ORDER BY id
  LIMIT 1000 ${FOR_UPDATE}`);
const BY_ROLE = sql('SELECT role, count(*) AS total FROM operators WHERE tenant_id = $1 GROUP BY role');
const ALL = sql(`SELECT ${COLUMNS} FROM operators WHERE tenant_id = $1 ORDER BY name_folded, id LIMIT 1000`);

export async function addOperator(tx: TenantTx, row: OperatorRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.name, row.name_folded, row.email, row.email_folded, row.role, row.status],
    ...[row.failures, row.locked_until, row.last_sign_in_at, row.link_hash, row.link_expires_at],
    ...[row.created_at, row.created_by, row.last_updated_at, row.last_updated_by],
  ]);
}

export function findOperator(db: TenantReads, id: string): Promise<OperatorRow | undefined> {
  return db.get<OperatorRow>(ONE, [db.tenantId, id]);
}

export function findOperatorForUpdate(tx: TenantTx, id: string): Promise<OperatorRow | undefined> {
  return tx.get<OperatorRow>(ONE_FOR_UPDATE, [tx.tenantId, id]);
}

export function findByLink(tx: TenantTx, hash: Uint8Array, now: number): Promise<OperatorRow | undefined> {
  return tx.get<OperatorRow>(BY_LINK, [tx.tenantId, hash, now]);
}

export async function changeOperator(tx: TenantTx, row: OperatorRow): Promise<void> {
  await tx.run(CHANGE, [
    ...[tx.tenantId, row.id, row.name, row.name_folded, row.email, row.email_folded, row.role, row.status],
    ...[row.failures, row.locked_until, row.last_sign_in_at, row.link_hash, row.link_expires_at],
    ...[row.last_updated_at, row.last_updated_by],
  ]);
}

export async function removeOperator(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

export async function countOperators(db: TenantReads, pattern?: string): Promise<number> {
  const row =
    pattern === undefined
      ? await db.get<{ total: number }>(COUNT, [db.tenantId])
      : await db.get<{ total: number }>(COUNT_LIKE, [db.tenantId, pattern]);
  return row?.total ?? 0;
}

export async function activeOwners(tx: TenantTx): Promise<string[]> {
  return (await tx.all<{ id: string }>(OWNERS, [tx.tenantId])).map(({ id }) => id);
}

/** How many operators have each role. */
export async function countByRole(db: TenantReads): Promise<Map<string, number>> {
  const rows = await db.all<{ role: string; total: number }>(BY_ROLE, [db.tenantId]);
  return new Map(rows.map(({ role, total }) => [role, total]));
}

export function allOperators(db: TenantReads): Promise<OperatorRow[]> {
  return db.all<OperatorRow>(ALL, [db.tenantId]);
}

export function pageOperators(
  db: TenantReads,
  pattern: string | undefined,
  { size, offset, orderBy }: Paging,
): Promise<OperatorRow[]> {
  const where = pattern === undefined ? '' : " AND name_folded LIKE $4 ESCAPE '\\'";
  return db.all<OperatorRow>(
    unprepared(
      `SELECT ${COLUMNS} FROM operators WHERE tenant_id = $1${where} ORDER BY ${orderBy} LIMIT $2 + 0 OFFSET $3 + 0`,
    ),
    [db.tenantId, size, offset, ...(pattern === undefined ? [] : [pattern])],
  );
}
