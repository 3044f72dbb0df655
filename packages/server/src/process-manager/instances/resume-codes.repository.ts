import type { TenantTx } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';

const ADD = statement(`INSERT INTO journey_codes
  (tenant_id, code_hash, kind, instance_id, session_id, number, created_at, expires_at)
  VALUES (:tenant_id, :hash, 'RESUME', :instanceId, NULL, NULL, :now, :expiresAt)`);
const CODES_KEPT = 20;
const REMOVE_OLD = statement(`DELETE FROM journey_codes
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND kind = 'RESUME'
  AND (expires_at <= :now OR code_hash NOT IN (SELECT code_hash FROM journey_codes WHERE tenant_id = :tenant_id
    AND instance_id = :instanceId AND kind = 'RESUME' ORDER BY created_at DESC, code_hash LIMIT ${CODES_KEPT - 1}))`);

/** The code is spent by deleting it. The oldest go when there are too many of an instance. */
export async function addResumeCode(
  tx: TenantTx,
  { hash, instanceId, now, expiresAt }: { hash: Uint8Array; instanceId: string; now: number; expiresAt: number },
): Promise<void> {
  REMOVE_OLD.send(tx, { instanceId, now });
  ADD.send(tx, { hash, instanceId, now, expiresAt });
}
