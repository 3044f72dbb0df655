import type { TenantReads, TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
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
const KEY = 'tenant_id = :tenant_id AND user_id = :userId AND rp_id = :rpId AND device_id = :deviceId';
const SUMMARY = `SELECT d.user_id, d.rp_id, d.device_id, d.invalid_token, d.preferred,
    coalesce(k.long_key_id, k.key_id) AS key_id
  FROM appkey_devices d JOIN appkeys k ON k.tenant_id = d.tenant_id AND k.user_id = d.user_id AND k.rp_id = d.rp_id
    AND k.device_id = d.device_id`;
const ORDER = 'ORDER BY d.user_id, d.rp_id, d.device_id, k.id';
const SUMMARY_OF_ONE = query<DeviceKey>()(
  `${SUMMARY} WHERE d.tenant_id = :tenant_id AND d.user_id = :user_id ${ORDER}`,
);
const SUMMARY_OF_MANY = query<DeviceKey>()(
  `${SUMMARY} WHERE d.tenant_id = :tenant_id AND d.user_id ${inList(':userIds')} ${ORDER}`,
);
const CLEAR_PREFERRED_ONE = statement(`UPDATE appkey_devices SET preferred = 0, last_updated_at = :now
  WHERE ${KEY} AND preferred = 1`);
const PREFER = statement(`UPDATE appkey_devices SET preferred = 1, last_updated_at = :now WHERE ${KEY}`);

export type DeviceName = OfUser & { deviceId: string };

export const findDevice = query<DeviceRow>()(`SELECT ${COLUMNS} FROM appkey_devices WHERE ${KEY}`).get;

type PushAddress = { provider: PushProvider; token: Uint8Array | null };

/** Adds the device or updates its push token. Without a token in the input, the stored token stays. */
export const putDevice =
  query<PushAddress>()(`INSERT INTO appkey_devices (tenant_id, ${COLUMNS}, created_at, last_updated_at)
  VALUES (:tenant_id, :userId, :rpId, :deviceId, :provider, :token, 0, 0, :now, :now)
  ON CONFLICT (tenant_id, user_id, rp_id, device_id) DO UPDATE SET push_provider = excluded.push_provider,
    push_token = coalesce(excluded.push_token, appkey_devices.push_token), last_updated_at = excluded.last_updated_at,
    invalid_token = CASE WHEN excluded.push_token IS NULL THEN appkey_devices.invalid_token ELSE 0 END`).run;

/** False if there is no such device. */
export async function preferDevice(tx: TenantTx, device: DeviceName, now: number): Promise<boolean> {
  const { userId, rpId, deviceId } = device;
  await clearPreferred(tx, { userId: device.userId, rpId: device.rpId, now });
  return PREFER.changes(tx, { userId, rpId, deviceId, now });
}

export const clearPreferred = statement(`UPDATE appkey_devices SET preferred = 0, last_updated_at = :now
  WHERE tenant_id = :tenant_id AND user_id = :userId AND rp_id = :rpId AND preferred = 1`).run;

/** False if the device was not the preferred one. */
export async function clearPreferredOne(tx: TenantTx, device: DeviceName, now: number): Promise<boolean> {
  const { userId, rpId, deviceId } = device;
  return CLEAR_PREFERRED_ONE.changes(tx, { userId, rpId, deviceId, now });
}

/** Removes devices that have no key any more, together with their sealed push tokens. */
export const removeEmptyDevices =
  statement(`DELETE FROM appkey_devices WHERE tenant_id = :tenant_id AND user_id = :userId AND rp_id = :rpId
  AND NOT EXISTS (SELECT 1 FROM appkeys k WHERE k.tenant_id = :tenant_id AND k.user_id = :userId AND k.rp_id = :rpId
    AND k.device_id = appkey_devices.device_id)`).run;

export function deviceKeysOf(db: TenantReads, userIds: readonly string[]): Promise<DeviceKey[]> {
  const [only] = userIds;
  return userIds.length === 1
    ? SUMMARY_OF_ONE.all(db, { user_id: only as string })
    : SUMMARY_OF_MANY.all(db, { userIds });
}

const MARK_INVALID = statement(
  `UPDATE appkey_devices SET invalid_token = 1 WHERE ${KEY} AND push_token = :sealedToken`,
);

/** The limit per user keeps the list short. */
export const devicesOf = query<DeviceRow>()(`SELECT ${COLUMNS} FROM appkey_devices
  WHERE tenant_id = :tenant_id AND user_id = :userId AND rp_id = :rpId ORDER BY device_id`).all;

/** Does nothing if the device has a newer token. */
export async function markTokenInvalid(tx: TenantTx, device: DeviceName, sealedToken: Uint8Array): Promise<void> {
  const { userId, rpId, deviceId } = device;
  await MARK_INVALID.run(tx, { userId, rpId, deviceId, sealedToken });
}
