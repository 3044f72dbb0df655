import { sql, type TenantTx } from '../../db/db.ts';

const ADD = sql(`INSERT INTO journey_codes
  (tenant_id, code_hash, kind, instance_id, session_id, number, created_at, expires_at)
  VALUES ($1, $2, 'RESUME', $3, NULL, NULL, $4, $5)`);
const CODES_KEPT = 20;
const REMOVE_OLD = sql(`DELETE FROM journey_codes WHERE tenant_id = $1 AND instance_id = $2 AND kind = 'RESUME'
  AND (expires_at <= $3 OR code_hash NOT IN (SELECT code_hash FROM journey_codes WHERE tenant_id = $1
    AND instance_id = $2 AND kind = 'RESUME' ORDER BY created_at DESC, code_hash LIMIT $4 + 0))`);

/** The code is spent by deleting it. The oldest go when there are too many of an instance. */
export async function addResumeCode(
  tx: TenantTx,
  { hash, instanceId, now, expiresAt }: { hash: Uint8Array; instanceId: string; now: number; expiresAt: number },
): Promise<void> {
  await tx.run(REMOVE_OLD, [tx.tenantId, instanceId, now, CODES_KEPT - 1]);
  await tx.run(ADD, [tx.tenantId, hash, instanceId, now, expiresAt]);
}
