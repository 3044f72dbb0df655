import { sql, type TenantTx } from '../../db/db.ts';

const ADD = sql(`INSERT INTO used_challenges (tenant_id, store_id, challenge_hash, expires_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant_id, store_id, challenge_hash) DO NOTHING`);
const REMOVE_EXPIRED = sql(`DELETE FROM used_challenges WHERE tenant_id = $1 AND (store_id, challenge_hash) IN (
    SELECT store_id, challenge_hash FROM used_challenges WHERE tenant_id = $1 AND expires_at <= $2 LIMIT $3)`);

/** False if it was used before, however many try at once. */
export async function useChallenge(
  tx: TenantTx,
  { storeId, hash, rememberUntil }: { storeId: string; hash: Buffer; rememberUntil: number },
): Promise<boolean> {
  return (await tx.run(ADD, [tx.tenantId, storeId, hash, rememberUntil])) === 1;
}

export function removeExpiredChallenges(tx: TenantTx, now: number, limit: number): Promise<number> {
  return tx.run(REMOVE_EXPIRED, [tx.tenantId, now, limit]);
}
