import type { TenantReads } from '../../db/db.ts';
import { getPolicy } from '../stores/store-policies.ts';
import type { PasskeyConfig } from './passkey-policies.ts';

export const configKey = (storeId: string, rpId: string) => ({ storeId, kind: 'PASSKEY', name: rpId }) as const;

/** Returns the configuration of a relying party, or throws 100029. */
export async function getConfig(db: TenantReads, storeId: string, rpId: string): Promise<PasskeyConfig> {
  return (await getPolicy<PasskeyConfig>(db, configKey(storeId, rpId))).config;
}
