import { sql, type TenantReads, type TenantTx } from '../db/db.ts';
import type { Alg } from '../identity-store/passkeys/algorithms.ts';

export type OperatorPasskeyRow = {
  id: string;
  operator_id: string;
  rp_id: string;
  credential_id: string;
  alg: Alg;
  /** SPKI in DER. */
  public_key: Uint8Array;
  sign_count: number;
  backup_eligible: 0 | 1;
  /** A JSON array. */
  transports: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
};

const COLUMNS = `id, operator_id, rp_id, credential_id, alg, public_key, sign_count, backup_eligible, transports, name,
  created_at, last_used_at`;
const ADD = sql(`INSERT INTO operator_passkeys (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`);
const BY_CREDENTIAL = sql(`SELECT ${COLUMNS} FROM operator_passkeys
  WHERE tenant_id = $1 AND rp_id = $2 AND credential_id = $3`);
const OF_OPERATOR = sql(`SELECT ${COLUMNS} FROM operator_passkeys WHERE tenant_id = $1 AND operator_id = $2
  ORDER BY id LIMIT 100`);
/** Only where the counter is still the one that was compared. */
const ADVANCE = sql(`UPDATE operator_passkeys SET sign_count = $3, last_used_at = $4
  WHERE tenant_id = $1 AND id = $2 AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0))`);
const REMOVE = sql('DELETE FROM operator_passkeys WHERE tenant_id = $1 AND operator_id = $2 AND id = $3');
const REMOVE_ALL = sql('DELETE FROM operator_passkeys WHERE tenant_id = $1 AND operator_id = $2');

export async function addPasskey(tx: TenantTx, row: OperatorPasskeyRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.operator_id, row.rp_id, row.credential_id, row.alg, row.public_key, row.sign_count],
    ...[row.backup_eligible, row.transports, row.name, row.created_at, row.last_used_at],
  ]);
}

export function findByCredential(
  db: TenantReads,
  { rpId, credentialId }: { rpId: string; credentialId: string },
): Promise<OperatorPasskeyRow | undefined> {
  return db.get<OperatorPasskeyRow>(BY_CREDENTIAL, [db.tenantId, rpId, credentialId]);
}

export function passkeysOf(db: TenantReads, operatorId: string): Promise<OperatorPasskeyRow[]> {
  return db.all<OperatorPasskeyRow>(OF_OPERATOR, [db.tenantId, operatorId]);
}

export async function advancePasskey(tx: TenantTx, id: string, signCount: number, now: number): Promise<boolean> {
  return (await tx.run(ADVANCE, [tx.tenantId, id, signCount, now])) > 0;
}

export async function removePasskey(tx: TenantTx, operatorId: string, id: string): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, operatorId, id])) > 0;
}

export async function removePasskeysOf(tx: TenantTx, operatorId: string): Promise<void> {
  await tx.run(REMOVE_ALL, [tx.tenantId, operatorId]);
}
