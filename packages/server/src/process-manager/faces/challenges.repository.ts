import type { TenantReads, TenantTx } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';

export type ChallengeState = 'OPEN' | 'DONE' | 'ENDED' | 'USED';

const challenges = table('liveness_challenges', {
  tenant_id: text(),
  instance_id: text(),
  id: text(),
  step: text(),
  attempt: integer(),
  state: text<ChallengeState>(),
  token: text(),
  public_key: text(),
  progress: bytes(),
  started_at: integer(),
  expires_at: integer(),
  refused_at: optional(integer()),
  /** When its frames were packed into one blob. */
  packed_at: optional(integer()),
});
const { columns } = challenges;
export type ChallengeRow = RowOf<typeof challenges>;

export type Attempt = { readonly instanceId: string; readonly step: string; readonly attempt: number };
const USE = statement(`UPDATE liveness_challenges SET state = 'USED'
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND id = :id AND step = :step AND attempt = :attempt
  AND state = 'DONE'
    AND expires_at >= :now`);

export const addChallenge = challenges.insert().send;

export const countChallenges = challenges.count(
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step AND attempt = :attempt',
);

/** Finds challenges during which the server refused a frame. */
export const refusedChallenges = challenges.select(
  columns,
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step AND attempt = :attempt AND refused_at > 0',
).all;

// A new start ends the challenge before, so only the last one was open.
const NOTE_REFUSAL = statement(`UPDATE liveness_challenges SET refused_at = :at
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND state IN ('OPEN', 'ENDED')
  AND started_at >= :earliest AND (refused_at IS NULL OR refused_at < :at)
  AND id = (SELECT id FROM liveness_challenges
    WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND started_at <= :at
    ORDER BY started_at DESC, id DESC LIMIT 1)`);

/** Marks the challenge that was open at that time, if it began at `earliest` or later. */
export async function noteRefusal(
  tx: TenantTx,
  refusal: { instanceId: string; at: number; earliest: number },
): Promise<void> {
  NOTE_REFUSAL.send(tx, refusal);
}

export const endOpenChallenges = statement(`UPDATE liveness_challenges SET state = 'ENDED'
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step AND attempt = :attempt
  AND state IN ('OPEN', 'DONE')`).send;

export const findChallenge = challenges.select(
  columns,
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND id = :id',
).get;

/** The caller has locked the instance. */
export const saveChallenge = challenges.update(
  ['state', 'token', 'progress'],
  'WHERE tenant_id = :tenant_id AND instance_id = :instance_id AND id = :id',
).send;

/** One conditional update: of many callers, one uses the challenge. */
export async function useChallenge(tx: TenantTx, of: Attempt & { id: string }, now: number): Promise<boolean> {
  const { instanceId, id, step, attempt } = of;
  return USE.changes(tx, { instanceId, id, step, attempt, now });
}

export const UNPACKED_AT_ONCE = 200;
const UNPACKED = challenges.select(
  ['instance_id', 'id', 'step', 'attempt'],
  `WHERE tenant_id = :tenant_id AND state = 'USED' AND packed_at IS NULL AND expires_at < :expiredBefore
  ORDER BY expires_at LIMIT ${UNPACKED_AT_ONCE}`,
);

export type UsedChallenge = Pick<ChallengeRow, 'instance_id' | 'id' | 'step' | 'attempt'>;

/** Finds used challenges whose frames still have a blob each, the oldest first. */
export function unpackedChallenges(db: TenantReads, expiredBefore: number): Promise<UsedChallenge[]> {
  return UNPACKED.all(db, { expiredBefore });
}

export const setPacked = challenges.update(
  ['packed_at'],
  'WHERE tenant_id = :tenant_id AND instance_id = :instance_id AND id = :id',
).send;
