import { statement } from '../../db/sql/statement.ts';

/** False if the challenge was used before; of concurrent calls only one is true. */
export const useChallenge = statement(`INSERT INTO used_challenges (tenant_id, store_id, challenge_hash, expires_at)
  VALUES (:tenant_id, :storeId, :hash, :rememberUntil)
  ON CONFLICT (tenant_id, store_id, challenge_hash) DO NOTHING`).changes;

export const removeExpiredChallenges =
  statement(`DELETE FROM used_challenges WHERE tenant_id = :tenant_id AND (store_id, challenge_hash) IN (
    SELECT store_id, challenge_hash FROM used_challenges WHERE tenant_id = :tenant_id
    AND expires_at <= :now LIMIT :limit)`).run;
