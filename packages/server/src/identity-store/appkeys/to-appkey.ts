import type { api, Ok } from '@grove/contract';
import { toDtm } from '../../kernel/clock.ts';
import type { AppkeyRow } from './appkeys.repository.ts';

/** An appkey as callers see it. */
export type Appkey = Ok<typeof api.appkeys.updateKey>;

export function toAppkey(row: AppkeyRow): Appkey {
  return {
    id: row.id,
    keyId: row.key_id,
    rpId: row.rp_id,
    deviceId: row.device_id,
    aaid: row.aaid,
    keyType: row.key_type,
    status: row.status,
    attestation: row.attestation,
    signCount: row.sign_count,
    createdDtm: toDtm(row.created_at),
    ...(row.last_used_at !== null && { lastUsedDtm: toDtm(row.last_used_at) }),
  };
}
