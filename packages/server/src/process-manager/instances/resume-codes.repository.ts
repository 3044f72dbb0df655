import type { TenantTx } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';
import { codes } from './journey-codes.table.ts';

const ADD = codes.insert();
const NEW = { kind: 'RESUME', session_id: null, number: null, place: null } as const;
const CODES_KEPT = 20;
const REMOVE_OLD = statement(`DELETE FROM journey_codes
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND kind = 'RESUME'
  AND (expires_at <= :now OR code_hash NOT IN (SELECT code_hash FROM journey_codes WHERE tenant_id = :tenant_id
    AND instance_id = :instanceId AND kind = 'RESUME' ORDER BY created_at DESC, code_hash LIMIT ${CODES_KEPT - 1}))`);

/** Adds a code, which is spent by deleting it, and removes the oldest of an instance with too many. */
export async function addResumeCode(
  tx: TenantTx,
  { hash, instanceId, now, expiresAt }: { hash: Uint8Array; instanceId: string; now: number; expiresAt: number },
): Promise<void> {
  REMOVE_OLD.send(tx, { instanceId, now });
  ADD.send(tx, { ...NEW, code_hash: hash, instance_id: instanceId, created_at: now, expires_at: expiresAt });
}
