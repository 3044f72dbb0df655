import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { inJson } from '../../db/sql/dialect.ts';
import type { OfUser } from './appkeys.repository.ts';
import type { PushProvider } from './facet-rules.ts';

export type DeviceRow = {
  user_id: string;
  rp_id: string;
  device_id: string;
  push_provider: PushProvider;
  /** Sealed for the user. */
  push_token: Uint8Array | null;
  invalid_token: number;
  preferred: number;
};

/** A device with one of its keys. */
export type DeviceKey = Pick<DeviceRow, 'user_id' | 'rp_id' | 'device_id' | 'invalid_token' | 'preferred'> & {
  key_id: string;
};

const COLUMNS = 'user_id, rp_id, device_id, push_provider, push_token, invalid_token, preferred';
const KEY = 'tenant_id = $1 AND user_id = $2 AND rp_id = $3 AND device_id = $4';
const SUMMARY = `SELECT d.user_id, d.rp_id, d.device_id, d.invalid_token, d.preferred,
    coalesce(k.long_key_id, k.key_id) AS key_id
  FROM appkey_devices d JOIN appkeys k ON k.tenant_id = d.tenant_id AND k.user_id = d.user_id AND k.rp_id = d.rp_id
    AND k.device_id = d.device_id`;
const ORDER = 'ORDER BY d.user_id, d.rp_id, d.device_id, k.id';
const SUMMARY_OF_ONE = sql(`${SUMMARY} WHERE d.tenant_id = $1 AND d.user_id = $2 ${ORDER}`);
const SUMMARY_OF_MANY = sql(`${SUMMARY} WHERE d.tenant_id = $1 AND d.user_id ${inJson('$2')} ${ORDER}`);
const PUT = sql(`INSERT INTO appkey_devices (tenant_id, ${COLUMNS}, created_at, last_updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7, $7)
  ON CONFLICT (tenant_id, user_id, rp_id, device_id) DO UPDATE SET push_provider = excluded.push_provider,
    push_token = coalesce(excluded.push_token, appkey_devices.push_token), last_updated_at = excluded.last_updated_at,
    invalid_token = CASE WHEN excluded.push_token IS NULL THEN appkey_devices.invalid_token ELSE 0 END`);
const ONE = sql(`SELECT ${COLUMNS} FROM appkey_devices WHERE ${KEY}`);
const CLEAR_PREFERRED = sql(`UPDATE appkey_devices SET preferred = 0, last_updated_at = $4
  WHERE tenant_id = $1 AND user_id = $2 AND rp_id = $3 AND preferred = 1`);
const CLEAR_PREFERRED_ONE = sql(`UPDATE appkey_devices SET preferred = 0, last_updated_at = $5
  WHERE ${KEY} AND preferred = 1`);
const PREFER = sql(`UPDATE appkey_devices SET preferred = 1, last_updated_at = $5 WHERE ${KEY}`);
const REMOVE_EMPTY = sql(`DELETE FROM appkey_devices WHERE tenant_id = $1 AND user_id = $2 AND rp_id = $3
  AND NOT EXISTS (SELECT 1 FROM appkeys k WHERE k.tenant_id = $1 AND k.user_id = $2 AND k.rp_id = $3
    AND k.device_id = appkey_devices.device_id)`);

export type DeviceName = OfUser & { deviceId: string };

export function findDevice(db: TenantReads, { userId, rpId, deviceId }: DeviceName): Promise<DeviceRow | undefined> {
  return db.get<DeviceRow>(ONE, [db.tenantId, userId, rpId, deviceId]);
}

export type PushAddress = { provider: PushProvider; token: Uint8Array | null; now: number };

/** Makes the device known, or gives it a new push token; without one, the token it has stays. */
export async function putDevice(
  tx: TenantTx,
  { userId, rpId, deviceId }: DeviceName,
  { provider, token, now }: PushAddress,
): Promise<void> {
  await tx.run(PUT, [tx.tenantId, userId, rpId, deviceId, provider, token, now]);
}

/** False if there is no such device. */
export async function preferDevice(tx: TenantTx, device: DeviceName, now: number): Promise<boolean> {
  const { userId, rpId, deviceId } = device;
  await clearPreferred(tx, device, now);
  return (await tx.run(PREFER, [tx.tenantId, userId, rpId, deviceId, now])) === 1;
}

export async function clearPreferred(tx: TenantTx, { userId, rpId }: OfUser, now: number): Promise<void> {
  await tx.run(CLEAR_PREFERRED, [tx.tenantId, userId, rpId, now]);
}

/** False if it was not the preferred one. */
export async function clearPreferredOne(tx: TenantTx, device: DeviceName, now: number): Promise<boolean> {
  const { userId, rpId, deviceId } = device;
  return (await tx.run(CLEAR_PREFERRED_ONE, [tx.tenantId, userId, rpId, deviceId, now])) === 1;
}

/** A device without keys is none, and what was sealed for it goes too. */
export async function removeEmptyDevices(tx: TenantTx, { userId, rpId }: OfUser): Promise<void> {
  await tx.run(REMOVE_EMPTY, [tx.tenantId, userId, rpId]);
}

export function deviceKeysOf(db: TenantReads, userIds: readonly string[]): Promise<DeviceKey[]> {
  const [only] = userIds;
  return userIds.length === 1
    ? db.all<DeviceKey>(SUMMARY_OF_ONE, [db.tenantId, only as string])
    : db.all<DeviceKey>(SUMMARY_OF_MANY, [db.tenantId, JSON.stringify(userIds)]);
}

const OF_RELYING_PARTY = sql(`SELECT ${COLUMNS} FROM appkey_devices
  WHERE tenant_id = $1 AND user_id = $2 AND rp_id = $3 ORDER BY device_id`);
const MARK_INVALID = sql(`UPDATE appkey_devices SET invalid_token = 1 WHERE ${KEY} AND push_token = $5`);

/** There are only so many. */
export function devicesOf(db: TenantReads, { userId, rpId }: OfUser): Promise<DeviceRow[]> {
  return db.all<DeviceRow>(OF_RELYING_PARTY, [db.tenantId, userId, rpId]);
}

/** Unless the device has another token by now. */
export async function markTokenInvalid(tx: TenantTx, device: DeviceName, sealedToken: Uint8Array): Promise<void> {
  const { userId, rpId, deviceId } = device;
  await tx.run(MARK_INVALID, [tx.tenantId, userId, rpId, deviceId, sealedToken]);
}
