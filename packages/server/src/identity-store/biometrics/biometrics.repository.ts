import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { inJson } from '../../db/sql/dialect.ts';

/** The faces of users. A template is opened in the transaction that compares it, and nowhere else. */
export type BiometricRow = {
  user_id: string;
  type: 'FACE';
  id: string;
  status: 'ACTIVE' | 'DISABLED';
  algorithm: string;
  /** The template, sealed for the user. */
  sealed: Uint8Array;
  created_at: number;
  last_updated_at: number;
};

const COLUMNS = 'user_id, type, id, status, algorithm, sealed, created_at, last_updated_at';
const KEY = "tenant_id = $1 AND user_id = $2 AND type = 'FACE'";
const ONE = sql(`SELECT ${COLUMNS} FROM user_biometrics WHERE ${KEY}`);
const PUT = sql(`INSERT INTO user_biometrics (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (tenant_id, user_id, type) DO UPDATE SET id = excluded.id, status = excluded.status,
    algorithm = excluded.algorithm, sealed = excluded.sealed, last_updated_at = excluded.last_updated_at`);
const SET_STATUS = sql(`UPDATE user_biometrics SET status = $3, last_updated_at = $4 WHERE ${KEY}`);

export function findFace(db: TenantReads, userId: string): Promise<BiometricRow | undefined> {
  return db.get<BiometricRow>(ONE, [db.tenantId, userId]);
}

/** One that was there is replaced. */
export async function putFace(tx: TenantTx, row: BiometricRow): Promise<void> {
  const { user_id, type, id, status, algorithm, sealed, created_at, last_updated_at } = row;
  await tx.run(PUT, [tx.tenantId, user_id, type, id, status, algorithm, sealed, created_at, last_updated_at]);
}

/** False if there is none. */
export async function setFaceStatus(
  tx: TenantTx,
  userId: string,
  { status, now }: { status: BiometricRow['status']; now: number },
): Promise<boolean> {
  return (await tx.run(SET_STATUS, [tx.tenantId, userId, status, now])) === 1;
}

export type BiometricSummaryRow = Pick<BiometricRow, 'user_id' | 'type' | 'status' | 'last_updated_at'>;

const SUMMARY = 'SELECT user_id, type, status, last_updated_at FROM user_biometrics WHERE tenant_id = $1';
const SUMMARY_OF_ONE = sql(`${SUMMARY} AND user_id = $2 ORDER BY type`);
const SUMMARIES = sql(`${SUMMARY} AND user_id ${inJson('$2')}
  ORDER BY type`);

export function biometricsOf(db: TenantReads, userIds: readonly string[]): Promise<BiometricSummaryRow[]> {
  const [only] = userIds;
  return userIds.length === 1
    ? db.all<BiometricSummaryRow>(SUMMARY_OF_ONE, [db.tenantId, only as string])
    : db.all<BiometricSummaryRow>(SUMMARIES, [db.tenantId, JSON.stringify(userIds)]);
}
