import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { Vault } from '../../secrets/vault.ts';
import { userSubject } from '../users/find-user.ts';
import type { DeviceName } from './devices.repository.ts';

/**
 * A push token is sealed for its user and bound to its device. When the key of the user is destroyed, its tokens are
 * unreadable.
 */
const contextOf = ({ rpId, deviceId }: DeviceName) => `push-token:${JSON.stringify([rpId, deviceId])}`;

export function sealPushToken(
  vault: Pick<Vault, 'sealFor'>,
  tx: TenantTx,
  device: DeviceName,
  token: string,
): Promise<Uint8Array> {
  return vault.sealFor(tx, userSubject(device.userId), contextOf(device), Buffer.from(token));
}

export async function openPushToken(
  vault: Pick<Vault, 'openFor'>,
  db: TenantReads,
  device: DeviceName,
  sealed: Uint8Array,
): Promise<string> {
  return (await vault.openFor(db, userSubject(device.userId), contextOf(device), sealed)).toString('utf8');
}
