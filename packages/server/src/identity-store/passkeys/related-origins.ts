import type { TenantReads } from '../../db/db.ts';
import { policiesNamed } from '../stores/store-policies.repository.ts';
import type { PasskeyConfig } from './passkey-policies.ts';

/**
 * For `/.well-known/webauthn`: the origins that may use the passkeys of this host. Empty if the host is not a relying
 * party.
 */
export async function relatedOrigins(db: TenantReads, host: string): Promise<string[]> {
  const rows = await policiesNamed(db, { kind: 'PASSKEY', name: host });
  return [...new Set(rows.flatMap(({ config }) => (JSON.parse(config) as PasskeyConfig).relatedOrigins ?? []))];
}
