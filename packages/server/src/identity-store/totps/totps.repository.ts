import type { TenantReads } from '../../db/db.ts';
import { jsonTexts } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { bytes, integer, type RowOf, table, text } from '../../db/sql/table.ts';
import { dataKeyColumn } from '../../secrets/data-key-column.ts';

/** The parameters in the end user's authenticator app. A change of the policy does not change them. */
export type TotpParameters = { algorithm: 'SHA1' | 'SHA256' | 'SHA512'; digits: number; period: number };

const SHARED = {
  tenant_id: text(),
  user_id: text(),
  policy_name: text(),
  id: text(),
  sealed: bytes(),
  algorithm: text<TotpParameters['algorithm']>(),
  digits: integer(),
  period: integer(),
  created_at: integer(),
};
const totps = table('user_totps', { ...SHARED, last_step: integer() });
const pendingTotps = table('pending_totps', { ...SHARED, failed: integer(), expires_at: integer() });
export type TotpRow = RowOf<typeof totps>;
/** The row together with the data key of its user, for which the secret is sealed. */
export type FoundTotp = TotpRow & { data_key: Uint8Array | null };
export type PendingTotpRow = RowOf<typeof pendingTotps>;

const KEY = 'tenant_id = :tenant_id AND user_id = :userId AND policy_name = :policyName';
const KEY_COLUMNS = ['tenant_id', 'user_id', 'policy_name'] as const;

export type TotpKey = { readonly userId: string; readonly policyName: string };

export const findTotp = query<FoundTotp>()(`SELECT ${totps.columns.join(', ')},
  ${dataKeyColumn("'user:' || user_id")} AS data_key FROM user_totps WHERE ${KEY}`).get;

/** Stores the secret; replaces an earlier one of the same policy. */
export const putTotp = totps.upsert(KEY_COLUMNS).send;

/** The caller has locked the user and read `last_step` under the lock, so nobody else spends a step meanwhile. */
export const spendStep = statement(
  `UPDATE user_totps SET last_step = :step WHERE ${KEY} AND id = :id AND last_step < :step`,
).send;

/** False if there is no such row. */
export const removeTotp = statement(`DELETE FROM user_totps WHERE ${KEY}`).changes;

export const findPending = pendingTotps.select(pendingTotps.columns, `WHERE ${KEY} AND expires_at > :now`).get;

/** Stores the pending registration; replaces an earlier one. */
export const putPending = pendingTotps.upsert(KEY_COLUMNS).send;

export const failPending = statement(`UPDATE pending_totps SET failed = failed + 1 WHERE ${KEY}`).send;

export const removePending = statement(`DELETE FROM pending_totps WHERE ${KEY}`).changes;

export const removeExpiredPending = statement(`DELETE FROM pending_totps WHERE tenant_id = :tenant_id AND id IN (
    SELECT id FROM pending_totps WHERE tenant_id = :tenant_id AND expires_at <= :now
    ORDER BY expires_at LIMIT :limit)`).run;

type SummaryRow = { user_id: string; policy_name: string; status: 'ACTIVE' | 'PENDING'; created_at: number };

// The list of ids is parsed once, for both tables.
const SUMMARY = query<SummaryRow>()(`WITH page_users (user_id) AS
    (${jsonTexts(':userIds[]')})
  SELECT user_id, policy_name, 'ACTIVE' AS status, created_at FROM user_totps
    WHERE tenant_id = :tenant_id AND user_id IN (SELECT user_id FROM page_users)
  UNION ALL
  SELECT user_id, policy_name, 'PENDING' AS status, created_at FROM pending_totps
    WHERE tenant_id = :tenant_id AND user_id IN (SELECT user_id FROM page_users) AND expires_at > :now`);
const SUMMARY_OF_ONE = query<SummaryRow>()(`SELECT user_id, policy_name, 'ACTIVE' AS status, created_at FROM user_totps
    WHERE tenant_id = :tenant_id AND user_id = :user_id
  UNION ALL
  SELECT user_id, policy_name, 'PENDING' AS status, created_at FROM pending_totps
    WHERE tenant_id = :tenant_id AND user_id = :user_id AND expires_at > :now`);

/**
 * Returns the secrets, ordered by the names of their policies. Sorted here: few users have two, and a sort in the
 * database would cost time in every call.
 */
export async function totpsOf(db: TenantReads, userIds: readonly string[], now: number): Promise<SummaryRow[]> {
  const [only] = userIds;
  const rows =
    userIds.length === 1
      ? await SUMMARY_OF_ONE.all(db, { user_id: only as string, now })
      : await SUMMARY.all(db, { userIds, now });
  const placeOf = ({ policy_name, status }: SummaryRow) => `${policy_name} ${status}`;
  return rows.length < 2 ? rows : rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}
