import { bytes, integer, table, text } from '../../db/sql/table.ts';

const challenges = table('used_challenges', {
  tenant_id: text(),
  store_id: text(),
  challenge_hash: bytes(),
  expires_at: integer(),
});

/** Resolves to false if the challenge was used before; of concurrent calls only one resolves to true (replay). */
export const useChallenge = challenges.insert('ON CONFLICT (tenant_id, store_id, challenge_hash) DO NOTHING').changes;

export const removeExpiredChallenges =
  challenges.delete(`WHERE tenant_id = :tenant_id AND (store_id, challenge_hash) IN (
    SELECT store_id, challenge_hash FROM used_challenges WHERE tenant_id = :tenant_id
    AND expires_at <= :now LIMIT :limit)`).run;
