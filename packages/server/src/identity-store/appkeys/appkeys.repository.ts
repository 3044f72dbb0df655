import { hash } from 'node:crypto';
import { type Sql, sql, type TenantReads, type TenantTx, unprepared } from '../../db/db.ts';
import type { Paging } from '../../kernel/pages.ts';
import type { RegisteredKey } from './uaf/verify-authentication.ts';

export type AppkeyRow = RegisteredKey & {
  id: string;
  store_id: string;
  rp_id: string;
  device_id: string;
  attestation: 'FULL' | 'SURROGATE';
  created_at: number;
  last_used_at: number | null;
};

/** The properties a list can be sorted by. */
export const SORTABLE = {
  id: 'id',
  deviceId: 'device_id',
  status: 'status',
  createdDtm: 'created_at',
  lastUsedDtm: 'coalesce(last_used_at, 0)',
} as const;

/** An index takes no text of 2,731 characters, so a long key id is found by its hash and kept beside it. */
const MAX_INDEXED = 171;
const indexed = (keyId: string) => (keyId.length <= MAX_INDEXED ? keyId : `~${hash('sha256', keyId, 'base64url')}`);

const STORED = `id, store_id, user_id, rp_id, key_id, device_id, aaid, key_type, status, sign_algorithm, public_key,
  sign_count, attestation, created_at, last_used_at`;
const COLUMNS = STORED.replace('key_id,', 'coalesce(long_key_id, key_id) AS key_id,');
const BY_KEY_ID = sql(`SELECT ${COLUMNS} FROM appkeys
  WHERE tenant_id = $1 AND store_id = $2 AND rp_id = $3 AND key_id = $4`);
const OF_RELYING_PARTY = sql(`SELECT ${COLUMNS} FROM appkeys
  WHERE tenant_id = $1 AND user_id = $2 AND rp_id = $3 ORDER BY id`);
const ADD = sql(`INSERT INTO appkeys (tenant_id, ${STORED}, long_key_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
  ON CONFLICT (tenant_id, store_id, rp_id, key_id) DO NOTHING`);
const ADVANCE = sql(`UPDATE appkeys SET sign_count = $3, last_used_at = $4 WHERE tenant_id = $1 AND id = $2
  AND status = 'ACTIVE' AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0))`);
const SET_STATUS = sql('UPDATE appkeys SET status = $3 WHERE tenant_id = $1 AND id = $2');
const REMOVE = sql('DELETE FROM appkeys WHERE tenant_id = $1 AND id = $2');
const REMOVE_ALL = sql('DELETE FROM appkeys WHERE tenant_id = $1 AND user_id = $2 AND rp_id = $3');
const COUNT = sql('SELECT count(*) AS total FROM appkeys WHERE tenant_id = $1 AND user_id = $2');
const COUNT_OF = sql('SELECT count(*) AS total FROM appkeys WHERE tenant_id = $1 AND user_id = $2 AND rp_id = $3');

export type KeyName = { storeId: string; rpId: string; keyId: string };

export function findAppkey(db: TenantReads, { storeId, rpId, keyId }: KeyName): Promise<AppkeyRow | undefined> {
  return db.get<AppkeyRow>(BY_KEY_ID, [db.tenantId, storeId, rpId, indexed(keyId)]);
}

export type OfUser = { userId: string; rpId: string };

/** There are only so many. */
export function appkeysOf(db: TenantReads, { userId, rpId }: OfUser): Promise<AppkeyRow[]> {
  return db.all<AppkeyRow>(OF_RELYING_PARTY, [db.tenantId, userId, rpId]);
}

/** Of all relying parties. */
export async function countAppkeys(db: TenantReads, userId: string): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, userId]))?.total ?? 0;
}

/** False if the key id is taken. */
export async function addAppkey(tx: TenantTx, row: AppkeyRow): Promise<boolean> {
  const added = await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.store_id, row.user_id, row.rp_id, indexed(row.key_id), row.device_id, row.aaid],
    row.key_type,
    ...[row.status, row.sign_algorithm, row.public_key, row.sign_count, row.attestation, row.created_at],
    ...[row.last_used_at, indexed(row.key_id) === row.key_id ? null : row.key_id],
  ]);
  return added === 1;
}

/** False if the counter has not grown, whoever was faster. */
export async function advanceCounter(
  tx: TenantTx,
  id: string,
  { signCount, now }: { signCount: number; now: number },
): Promise<boolean> {
  return (await tx.run(ADVANCE, [tx.tenantId, id, signCount, now])) === 1;
}

export async function setAppkeyStatus(tx: TenantTx, id: string, status: AppkeyRow['status']): Promise<void> {
  await tx.run(SET_STATUS, [tx.tenantId, id, status]);
}

export async function removeAppkey(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

export function removeAppkeys(tx: TenantTx, { userId, rpId }: OfUser): Promise<number> {
  return tx.run(REMOVE_ALL, [tx.tenantId, userId, rpId]);
}

export async function pageAppkeys(
  db: TenantReads,
  { userId, rpId }: OfUser,
  { orderBy, size, offset }: Paging,
): Promise<{ rows: AppkeyRow[]; total: number }> {
  const key = [db.tenantId, userId, rpId];
  const page: Sql = unprepared(`SELECT ${COLUMNS} FROM appkeys WHERE tenant_id = $1 AND user_id = $2 AND rp_id = $3
    ORDER BY ${orderBy} LIMIT $4 + 0 OFFSET $5 + 0`);
  const counted = await db.get<{ total: number }>(COUNT_OF, key);
  return { total: counted?.total ?? 0, rows: await db.all<AppkeyRow>(page, [...key, size, offset]) };
}
