import type { TenantTx } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';

const ADD = statement(`INSERT INTO used_challenges (tenant_id, store_id, challenge_hash, expires_at)
  VALUES (:tenant_id, :storeId, :hash, :rememberUntil)
  ON CONFLICT (tenant_id, store_id, challenge_hash) DO NOTHING`);

/** False if the challenge was used before; of concurrent calls only one is true. */
export async function useChallenge(
  tx: TenantTx,
  { storeId, hash, rememberUntil }: { storeId: string; hash: Buffer; rememberUntil: number },
): Promise<boolean> {
  return (await ADD.run(tx, { storeId, hash, rememberUntil })) === 1;
}

export const removeExpiredChallenges =
  statement(`DELETE FROM used_challenges WHERE tenant_id = :tenant_id AND (store_id, challenge_hash) IN (
    SELECT store_id, challenge_hash FROM used_challenges WHERE tenant_id = :tenant_id
    AND expires_at <= :now LIMIT :limit)`).run;
