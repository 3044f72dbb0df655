import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { jsonTexts } from '../../db/sql/dialect.ts';

/** What an authenticator app of the end user was told. It is not changed by a change of the policy. */
export type TotpParameters = { algorithm: 'SHA1' | 'SHA256' | 'SHA512'; digits: number; period: number };

export type TotpRow = TotpParameters & {
  user_id: string;
  policy_name: string;
  id: string;
  sealed: Uint8Array;
  last_step: number;
  created_at: number;
};

export type PendingTotpRow = Omit<TotpRow, 'last_step'> & { failed: number; expires_at: number };

const SHARED = 'user_id, policy_name, id, sealed, algorithm, digits, period, created_at';
const KEY = 'tenant_id = $1 AND user_id = $2 AND policy_name = $3';
const ONE = sql(`SELECT ${SHARED}, last_step FROM user_totps WHERE ${KEY}`);
const PUT = sql(`INSERT INTO user_totps (tenant_id, ${SHARED}, last_step)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (tenant_id, user_id, policy_name) DO UPDATE SET id = excluded.id, sealed = excluded.sealed,
    algorithm = excluded.algorithm, digits = excluded.digits, period = excluded.period,
    created_at = excluded.created_at, last_step = excluded.last_step`);
const SPEND_STEP = sql(`UPDATE user_totps SET last_step = $5 WHERE ${KEY} AND id = $4 AND last_step < $5`);
const REMOVE = sql(`DELETE FROM user_totps WHERE ${KEY}`);
const PENDING = sql(`SELECT ${SHARED}, failed, expires_at FROM pending_totps WHERE ${KEY} AND expires_at > $4`);
const PUT_PENDING = sql(`INSERT INTO pending_totps (tenant_id, ${SHARED}, failed, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ON CONFLICT (tenant_id, user_id, policy_name) DO UPDATE SET id = excluded.id, sealed = excluded.sealed,
    algorithm = excluded.algorithm, digits = excluded.digits, period = excluded.period,
    created_at = excluded.created_at, failed = excluded.failed, expires_at = excluded.expires_at`);
const FAIL_PENDING = sql(`UPDATE pending_totps SET failed = failed + 1 WHERE ${KEY}`);
const REMOVE_PENDING = sql(`DELETE FROM pending_totps WHERE ${KEY}`);
const REMOVE_EXPIRED = sql(`DELETE FROM pending_totps WHERE tenant_id = $1 AND id IN (
    SELECT id FROM pending_totps WHERE tenant_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3)`);

export type TotpKey = { readonly userId: string; readonly policyName: string };

export function findTotp(db: TenantReads, { userId, policyName }: TotpKey): Promise<TotpRow | undefined> {
  return db.get<TotpRow>(ONE, [db.tenantId, userId, policyName]);
}

/** One of the policy before is replaced. */
export async function putTotp(tx: TenantTx, row: TotpRow): Promise<void> {
  await tx.run(PUT, [...sharedOf(tx, row), row.last_step]);
}

/** False if that step or a later one was accepted already, or the secret of that id was replaced or removed. */
export async function spendStep(tx: TenantTx, key: TotpKey & { readonly id: string }, step: number): Promise<boolean> {
  return (await tx.run(SPEND_STEP, [tx.tenantId, key.userId, key.policyName, key.id, step])) === 1;
}

/** False if there is none. */
export async function removeTotp(tx: TenantTx, { userId, policyName }: TotpKey): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, userId, policyName])) === 1;
}

export function findPending(
  db: TenantReads,
  { userId, policyName }: TotpKey,
  now: number,
): Promise<PendingTotpRow | undefined> {
  return db.get<PendingTotpRow>(PENDING, [db.tenantId, userId, policyName, now]);
}

/** One that was started before is given up. */
export async function putPending(tx: TenantTx, row: PendingTotpRow): Promise<void> {
  await tx.run(PUT_PENDING, [...sharedOf(tx, row), row.failed, row.expires_at]);
}

export async function failPending(tx: TenantTx, { userId, policyName }: TotpKey): Promise<void> {
  await tx.run(FAIL_PENDING, [tx.tenantId, userId, policyName]);
}

export async function removePending(tx: TenantTx, { userId, policyName }: TotpKey): Promise<boolean> {
  return (await tx.run(REMOVE_PENDING, [tx.tenantId, userId, policyName])) === 1;
}

export function removeExpiredPending(tx: TenantTx, now: number, limit: number): Promise<number> {
  return tx.run(REMOVE_EXPIRED, [tx.tenantId, now, limit]);
}

function sharedOf(tx: TenantTx, row: Omit<TotpRow, 'last_step'>) {
  return [
    ...[tx.tenantId, row.user_id, row.policy_name, row.id, row.sealed, row.algorithm, row.digits, row.period],
    row.created_at,
  ];
}

type SummaryRow = { user_id: string; policy_name: string; status: 'ACTIVE' | 'PENDING'; created_at: number };

// The ids are named once, because on SQLite what is in the other engine's comment counts as a parameter.
const SUMMARY = sql(`WITH asked (user_id) AS
    (${jsonTexts('$2')})
  SELECT user_id, policy_name, 'ACTIVE' AS status, created_at FROM user_totps
    WHERE tenant_id = $1 AND user_id IN (SELECT user_id FROM asked)
  UNION ALL
  SELECT user_id, policy_name, 'PENDING' AS status, created_at FROM pending_totps
    WHERE tenant_id = $1 AND user_id IN (SELECT user_id FROM asked) AND expires_at > $3`);
const SUMMARY_OF_ONE = sql(`SELECT user_id, policy_name, 'ACTIVE' AS status, created_at FROM user_totps
    WHERE tenant_id = $1 AND user_id = $2
  UNION ALL
  SELECT user_id, policy_name, 'PENDING' AS status, created_at FROM pending_totps
    WHERE tenant_id = $1 AND user_id = $2 AND expires_at > $3`);

/** In the order of the policies' names. Sorted here: almost nobody has two, and a database makes ready to sort anyway. */
export async function totpsOf(db: TenantReads, userIds: readonly string[], now: number): Promise<SummaryRow[]> {
  const [only] = userIds;
  const rows =
    userIds.length === 1
      ? await db.all<SummaryRow>(SUMMARY_OF_ONE, [db.tenantId, only as string, now])
      : await db.all<SummaryRow>(SUMMARY, [db.tenantId, JSON.stringify(userIds), now]);
  const placeOf = ({ policy_name, status }: SummaryRow) => `${policy_name} ${status}`;
  return rows.length < 2 ? rows : rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}
