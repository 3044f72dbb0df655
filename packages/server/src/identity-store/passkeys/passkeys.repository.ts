import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { inJson } from '../../db/sql/dialect.ts';
import { rowOf } from '../../db/sql/row-maker.ts';
import type { Alg } from './algorithms.ts';
import type { AttestationTrust } from './attestation/assess-attestation.ts';

export type PasskeyStatus = 'ACTIVE' | 'DISABLED';

/** The columns of a passkey. Only this folder knows them. */
export type PasskeyRow = {
  id: string;
  environment: 'live' | 'test';
  store_id: string;
  user_id: string;
  rp_id: string;
  credential_id: string;
  user_handle: string;
  status: PasskeyStatus;
  alg: Alg;
  public_key: Uint8Array;
  sign_count: number;
  user_verified: number;
  backup_eligible: number;
  backed_up: number;
  /** A JSON array. */
  transports: string;
  aaguid: string;
  attestation_format: string;
  attestation_trust: AttestationTrust;
  created_at: number;
  last_used_at: number | null;
};

const NAMES = [
  ...['id', 'environment', 'store_id', 'user_id', 'rp_id', 'credential_id', 'user_handle', 'status', 'alg'],
  ...['public_key', 'sign_count', 'user_verified', 'backup_eligible', 'backed_up', 'transports', 'aaguid'],
  ...['attestation_format', 'attestation_trust', 'created_at', 'last_used_at'],
] as (keyof PasskeyRow)[];

const COLUMNS = NAMES.join(', ');
/** What is needed to verify an assertion, and no more: every login reads it. */
const VERIFIED = `id, store_id, user_id, credential_id, user_handle, status, alg, public_key, sign_count, backup_eligible`;
const toVerified = rowOf(VERIFIED);
const SUMMARY = 'id, user_id, rp_id, credential_id, status, created_at, last_used_at';
const toSummaryRow = rowOf(SUMMARY);

export type PasskeyToVerify = Pick<
  PasskeyRow,
  | 'id'
  | 'store_id'
  | 'user_id'
  | 'credential_id'
  | 'user_handle'
  | 'status'
  | 'alg'
  | 'public_key'
  | 'sign_count'
  | 'backup_eligible'
>;
export type PasskeySummaryRow = Pick<
  PasskeyRow,
  'id' | 'user_id' | 'rp_id' | 'credential_id' | 'status' | 'created_at' | 'last_used_at'
>;

const ADD = sql(`INSERT INTO passkeys (tenant_id, ${COLUMNS})
  VALUES ($1, ${NAMES.map((_, at) => `$${at + 2}`).join(', ')})
  ON CONFLICT (tenant_id, environment, rp_id, credential_id) DO NOTHING`);
const BY_CREDENTIAL = sql(
  `SELECT ${VERIFIED} FROM passkeys
  WHERE tenant_id = $1 AND environment = $2 AND rp_id = $3 AND credential_id = $4`,
  toVerified,
);
const OF_RELYING_PARTY = sql(`SELECT ${COLUMNS} FROM passkeys WHERE tenant_id = $1 AND user_id = $2 AND rp_id = $3
  ORDER BY id LIMIT $4 + 0`);
const COUNT = sql('SELECT count(*) AS total FROM passkeys WHERE tenant_id = $1 AND user_id = $2');
const ONE = sql(`SELECT ${COLUMNS} FROM passkeys WHERE tenant_id = $1 AND user_id = $2 AND id = $3`);
const HANDLE_OF_OTHER = sql(`SELECT user_id FROM passkeys
  WHERE tenant_id = $1 AND environment = $2 AND rp_id = $3 AND user_handle = $4 AND user_id <> $5 LIMIT 1`);
const ADVANCE = sql(`UPDATE passkeys SET sign_count = $3, backed_up = $4, last_used_at = $5
  WHERE tenant_id = $1 AND id = $2 AND status = 'ACTIVE' AND (sign_count < $3 OR (sign_count = 0 AND sign_count = $3))`);
const SET_STATUS = sql('UPDATE passkeys SET status = $4 WHERE tenant_id = $1 AND user_id = $2 AND id = $3');
const REMOVE = sql('DELETE FROM passkeys WHERE tenant_id = $1 AND user_id = $2 AND id = $3');
const OF_USER = sql(
  `SELECT ${SUMMARY} FROM passkeys WHERE tenant_id = $1 AND user_id = $2 ORDER BY id LIMIT $3 + 0`,
  toSummaryRow,
);
const OF_USERS = sql(`SELECT ${SUMMARY} FROM passkeys WHERE tenant_id = $1 AND user_id ${inJson('$2')}
  ORDER BY id`);
const ADD_AUDIT = sql('INSERT INTO passkey_audits (tenant_id, passkey_id, sealed) VALUES ($1, $2, $3)');
const AUDIT = sql('SELECT sealed FROM passkey_audits WHERE tenant_id = $1 AND passkey_id = $2');

/** False if the credential id is registered already, for whomever. */
export async function addPasskey(tx: TenantTx, row: PasskeyRow): Promise<boolean> {
  return (await tx.run(ADD, [tx.tenantId, ...NAMES.map((name) => row[name])])) === 1;
}

export type CredentialKey = { environment: 'live' | 'test'; rpId: string; credentialId: string };

export function findByCredential(
  db: TenantReads,
  { environment, rpId, credentialId }: CredentialKey,
): Promise<PasskeyToVerify | undefined> {
  return db.get<PasskeyToVerify>(BY_CREDENTIAL, [db.tenantId, environment, rpId, credentialId]);
}

/** Those of a user at a relying party, the oldest first. */
export function passkeysAt(
  db: TenantReads,
  { userId, rpId, limit }: { userId: string; rpId: string; limit: number },
): Promise<PasskeyRow[]> {
  return db.all<PasskeyRow>(OF_RELYING_PARTY, [db.tenantId, userId, rpId, limit]);
}

/** At all relying parties. */
export async function countPasskeys(db: TenantReads, userId: string): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, userId]))?.total ?? 0;
}

export function findPasskey(db: TenantReads, userId: string, id: string): Promise<PasskeyRow | undefined> {
  return db.get<PasskeyRow>(ONE, [db.tenantId, userId, id]);
}

export type HandleKey = { environment: 'live' | 'test'; rpId: string; userHandle: string; userId: string };

/** Whether a passkey of somebody else has this user handle. */
export async function isHandleOfOther(
  db: TenantReads,
  { environment, rpId, userHandle, userId }: HandleKey,
): Promise<boolean> {
  return (await db.get(HANDLE_OF_OTHER, [db.tenantId, environment, rpId, userHandle, userId])) !== undefined;
}

export type Advance = { id: string; signCount: number; backedUp: boolean; now: number };

/** False unless the counter goes up, or stays at the 0 of those who do not count: of two at once only one is true. */
export async function advancePasskey(tx: TenantTx, { id, signCount, backedUp, now }: Advance): Promise<boolean> {
  return (await tx.run(ADVANCE, [tx.tenantId, id, signCount, Number(backedUp), now])) === 1;
}

export async function setPasskeyStatus(
  tx: TenantTx,
  { userId, id, status }: { userId: string; id: string; status: PasskeyStatus },
): Promise<void> {
  await tx.run(SET_STATUS, [tx.tenantId, userId, id, status]);
}

/** False if there is none. */
export async function removePasskey(tx: TenantTx, userId: string, id: string): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, userId, id])) === 1;
}

export async function summaryRows(
  db: TenantReads,
  userIds: readonly string[],
  limit: number,
): Promise<PasskeySummaryRow[]> {
  const [only] = userIds;
  return userIds.length === 1
    ? db.all<PasskeySummaryRow>(OF_USER, [db.tenantId, only as string, limit])
    : db.all<PasskeySummaryRow>(OF_USERS, [db.tenantId, JSON.stringify(userIds)]);
}

export async function addAudit(tx: TenantTx, passkeyId: string, sealed: Uint8Array): Promise<void> {
  await tx.run(ADD_AUDIT, [tx.tenantId, passkeyId, sealed]);
}

export async function findAudit(db: TenantReads, passkeyId: string): Promise<Uint8Array | undefined> {
  return (await db.get<{ sealed: Uint8Array }>(AUDIT, [db.tenantId, passkeyId]))?.sealed;
}
