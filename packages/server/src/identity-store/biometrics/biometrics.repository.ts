import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { bytes, integer, type RowOf, table, text } from '../../db/sql/table.ts';

/** The faces of users. A template is decrypted only in the transaction that compares it. */
const biometrics = table('user_biometrics', {
  tenant_id: text(),
  user_id: text(),
  type: text<'FACE'>(),
  id: text(),
  status: text<'ACTIVE' | 'DISABLED'>(),
  algorithm: text(),
  /** The template, sealed for the user. */
  sealed: bytes(),
  created_at: integer(),
  last_updated_at: integer(),
});
const { columns } = biometrics;
export type BiometricRow = RowOf<typeof biometrics>;

const KEY = "tenant_id = :tenant_id AND user_id = :userId AND type = 'FACE'";

export const findFace = biometrics.select(columns, `WHERE ${KEY}`).get;

/** Stores the face; replaces an earlier one. */
export const putFace =
  biometrics.insert(`ON CONFLICT (tenant_id, user_id, type) DO UPDATE SET id = excluded.id, status = excluded.status,
    algorithm = excluded.algorithm, sealed = excluded.sealed, last_updated_at = excluded.last_updated_at`).send;

/** False if there is no such row. */
export const setFaceStatus = query<BiometricRow>()(
  `UPDATE user_biometrics SET status = :status, last_updated_at = :now WHERE ${KEY}`,
).changes;

export type BiometricSummaryRow = Pick<BiometricRow, 'user_id' | 'type' | 'status' | 'last_updated_at'>;

const SUMMARY = 'SELECT user_id, type, status, last_updated_at FROM user_biometrics WHERE tenant_id = :tenant_id';
const SUMMARY_OF_ONE = query<BiometricSummaryRow>()(`${SUMMARY} AND user_id = :user_id ORDER BY type`);
const SUMMARIES = query<BiometricSummaryRow>()(`${SUMMARY} AND user_id ${inList(':userIds')}
  ORDER BY type`);

export function biometricsOf(db: TenantReads, userIds: readonly string[]): Promise<BiometricSummaryRow[]> {
  const [only] = userIds;
  return userIds.length === 1 ? SUMMARY_OF_ONE.all(db, { user_id: only as string }) : SUMMARIES.all(db, { userIds });
}
