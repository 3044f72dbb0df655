import type { TenantReads, TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Alg } from './algorithms.ts';
import type { AttestationTrust } from './attestation/assess-attestation.ts';

export type PasskeyStatus = 'ACTIVE' | 'DISABLED';

/** The columns of a passkey. Only this folder uses them. */
const passkeys = table('passkeys', {
  tenant_id: text(),
  id: text(),
  environment: text<Environment>(),
  store_id: text(),
  user_id: text(),
  rp_id: text(),
  credential_id: text(),
  user_handle: text(),
  status: text<PasskeyStatus>(),
  alg: integer<Alg>(),
  public_key: bytes(),
  sign_count: integer(),
  user_verified: integer(),
  backup_eligible: integer(),
  backed_up: integer(),
  /** A JSON array. */
  transports: text(),
  aaguid: text(),
  attestation_format: text(),
  attestation_trust: text<AttestationTrust>(),
  created_at: integer(),
  last_used_at: optional(integer()),
});
const { columns } = passkeys;
export type PasskeyRow = RowOf<typeof passkeys>;

/** Only the columns that verification needs, because every login reads them. */
const VERIFIED = [
  'id',
  'store_id',
  'user_id',
  'credential_id',
  'user_handle',
  'status',
  'alg',
  'public_key',
  'sign_count',
  'backup_eligible',
] as const;
const SUMMARY = ['id', 'user_id', 'rp_id', 'credential_id', 'status', 'created_at', 'last_used_at'] as const;

export type PasskeyToVerify = Pick<PasskeyRow, (typeof VERIFIED)[number]>;
export type PasskeySummaryRow = Pick<PasskeyRow, (typeof SUMMARY)[number]>;
const ADVANCE = statement(`UPDATE passkeys SET sign_count = :signCount, backed_up = :backedUp, last_used_at = :now
  WHERE tenant_id = :tenant_id AND id = :id AND status = 'ACTIVE' AND (sign_count < :signCount OR (sign_count = 0
  AND sign_count = :signCount))`);
const OF_USER = passkeys.select(
  SUMMARY,
  `WHERE tenant_id = :tenant_id AND user_id = :user_id ORDER BY id LIMIT :limit + 0`,
);
const OF_USERS = passkeys.select(
  SUMMARY,
  `WHERE tenant_id = :tenant_id AND user_id ${inList(':userIds')}
  ORDER BY id`,
);
const audits = table('passkey_audits', { tenant_id: text(), passkey_id: text(), sealed: bytes() });
const AUDIT = audits.select(['sealed'], 'WHERE tenant_id = :tenant_id AND passkey_id = :passkeyId');

/** False if the credential id is already registered, for any user. */
export const addPasskey = passkeys.insert(
  'ON CONFLICT (tenant_id, environment, rp_id, credential_id) DO NOTHING',
).changes;

export type CredentialKey = { environment: 'live' | 'test'; rpId: string; credentialId: string };

export const findByCredential = passkeys.select(
  VERIFIED,
  `WHERE tenant_id = :tenant_id AND environment = :environment AND rp_id = :rpId AND credential_id = :credentialId`,
).get;

/** Returns the passkeys of a user at a relying party, the oldest first. */
export const passkeysAt = passkeys.select(
  columns,
  `WHERE tenant_id = :tenant_id AND user_id = :userId AND rp_id = :rpId
  ORDER BY id LIMIT :limit + 0`,
).all;

/** Counts the passkeys of all relying parties. */
export const countPasskeys = passkeys.count('WHERE tenant_id = :tenant_id AND user_id = :userId');

export const findPasskey = passkeys.select(
  columns,
  'WHERE tenant_id = :tenant_id AND user_id = :userId AND id = :id',
).get;

/** Whether a passkey of another user has this user handle. */
export const isHandleOfOther = query<object>()(`SELECT user_id FROM passkeys
  WHERE tenant_id = :tenant_id AND environment = :environment AND rp_id = :rpId AND user_handle = :userHandle
  AND user_id <> :userId LIMIT 1`).exists;

export type Advance = { id: string; signCount: number; backedUp: boolean; now: number };

/** False unless the counter grows, or stays at 0 (no counter). Of two concurrent calls only one is true. */
export async function advancePasskey(tx: TenantTx, { id, signCount, backedUp, now }: Advance): Promise<boolean> {
  return ADVANCE.changes(tx, { id, signCount, backedUp: Number(backedUp), now });
}

export const setPasskeyStatus = passkeys.update(
  ['status'],
  'WHERE tenant_id = :tenant_id AND user_id = :userId AND id = :id',
).run;

/** False if there is no such row. */
export const removePasskey = passkeys.delete('WHERE tenant_id = :tenant_id AND user_id = :userId AND id = :id').changes;

export async function summaryRows(
  db: TenantReads,
  userIds: readonly string[],
  limit: number,
): Promise<PasskeySummaryRow[]> {
  const [only] = userIds;
  return userIds.length === 1 ? OF_USER.all(db, { user_id: only as string, limit }) : OF_USERS.all(db, { userIds });
}

export const addAudit = audits.insert().run;

export async function findAudit(db: TenantReads, passkeyId: string): Promise<Uint8Array | undefined> {
  return (await AUDIT.get(db, { passkeyId }))?.sealed;
}
