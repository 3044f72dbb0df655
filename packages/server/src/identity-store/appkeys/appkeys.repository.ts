import { hash } from 'node:crypto';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { listOf } from '../../db/sql/list.ts';
import { countOf, query, statement } from '../../db/sql/statement.ts';
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

export const SORTABLE = {
  id: 'id',
  deviceId: 'device_id',
  status: 'status',
  createdDtm: 'created_at',
  lastUsedDtm: 'coalesce(last_used_at, 0)',
} as const;

/**
 * A database index cannot hold a text of 2,731 characters. A long key id is found by its hash and stored in its own
 * column.
 */
const MAX_INDEXED = 171;
const indexed = (keyId: string) => (keyId.length <= MAX_INDEXED ? keyId : `~${hash('sha256', keyId, 'base64url')}`);

const STORED = `id, store_id, user_id, rp_id, key_id, device_id, aaid, key_type, status, sign_algorithm, public_key,
  sign_count, attestation, created_at, last_used_at`;
const COLUMNS = STORED.replace('key_id,', 'coalesce(long_key_id, key_id) AS key_id,');
const BY_KEY_ID = query<AppkeyRow>()(`SELECT ${COLUMNS} FROM appkeys
  WHERE tenant_id = :tenant_id AND store_id = :storeId AND rp_id = :rpId AND key_id = :key_id`);
const ADD = statement(`INSERT INTO appkeys (tenant_id, ${STORED}, long_key_id)
  VALUES (:tenant_id, :id, :store_id, :user_id, :rp_id, :key_id, :device_id, :aaid, :key_type, :status,
  :sign_algorithm, :public_key, :sign_count, :attestation, :created_at, :last_used_at, :long_key_id)
  ON CONFLICT (tenant_id, store_id, rp_id, key_id) DO NOTHING`);

export type KeyName = { storeId: string; rpId: string; keyId: string };

export function findAppkey(db: TenantReads, { storeId, rpId, keyId }: KeyName): Promise<AppkeyRow | undefined> {
  return BY_KEY_ID.get(db, { storeId, rpId, key_id: indexed(keyId) });
}

export type OfUser = { userId: string; rpId: string };

/** The limit per user keeps the list short. */
export const appkeysOf = query<AppkeyRow>()(`SELECT ${COLUMNS} FROM appkeys
  WHERE tenant_id = :tenant_id AND user_id = :userId AND rp_id = :rpId ORDER BY id`).all;

/** Counts those of all relying parties. */
export const countAppkeys = countOf('FROM appkeys WHERE tenant_id = :tenant_id AND user_id = :userId');

/** False if the key id is already registered. */
export async function addAppkey(tx: TenantTx, row: AppkeyRow): Promise<boolean> {
  const rowCount = await ADD.run(tx, {
    ...row,
    key_id: indexed(row.key_id),
    long_key_id: indexed(row.key_id) === row.key_id ? null : row.key_id,
  });
  return rowCount === 1;
}

/** False unless the counter grows; of two concurrent calls with one counter, only one is true. */
export const advanceCounter =
  query<AppkeyRow>()(`UPDATE appkeys SET sign_count = :signCount, last_used_at = :now WHERE tenant_id = :tenant_id AND id = :id
  AND status = 'ACTIVE' AND (sign_count < :signCount OR (sign_count = 0 AND :signCount = 0))`).changes;

export const setAppkeyStatus = query<AppkeyRow>()(
  'UPDATE appkeys SET status = :status WHERE tenant_id = :tenant_id AND id = :id',
).run;

export const removeAppkey = statement('DELETE FROM appkeys WHERE tenant_id = :tenant_id AND id = :id').run;

export const removeAppkeys = statement(
  'DELETE FROM appkeys WHERE tenant_id = :tenant_id AND user_id = :userId AND rp_id = :rpId',
).run;

export const pageAppkeys = listOf<AppkeyRow>()(
  COLUMNS,
  'FROM appkeys WHERE tenant_id = :tenant_id AND user_id = :userId AND rp_id = :rpId',
);
