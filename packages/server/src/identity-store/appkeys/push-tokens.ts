import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { Vault } from '../../secrets/vault.ts';
import { userSubject } from '../users/find-user.ts';
import type { DeviceName } from './devices.repository.ts';

/** Push tokens are sealed for their user, each for its device: to erase the user is to erase them. */
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
