import type { TenantReads, TenantTx } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';
import { bytes, integer, type RowOf, table, text } from '../../db/sql/table.ts';

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
});
const { columns } = challenges;
export type ChallengeRow = RowOf<typeof challenges>;

export type Attempt = { readonly instanceId: string; readonly step: string; readonly attempt: number };

const ADD = challenges.insert();
const COUNT = challenges.count(
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step AND attempt = :attempt',
);
const END_OPEN = statement(`UPDATE liveness_challenges SET state = 'ENDED'
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step AND attempt = :attempt
  AND state IN ('OPEN', 'DONE')`);
const ONE = challenges.select(columns, 'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND id = :id');
const SAVE = challenges.update(
  ['state', 'token', 'progress'],
  'WHERE tenant_id = :tenant_id AND instance_id = :instance_id AND id = :id',
);
const USE = statement(`UPDATE liveness_challenges SET state = 'USED'
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND id = :id AND step = :step AND attempt = :attempt
  AND state = 'DONE'
    AND expires_at >= :now`);

export async function addChallenge(tx: TenantTx, row: ChallengeRow): Promise<void> {
  ADD.send(tx, row);
}

export async function countChallenges(tx: TenantTx, { instanceId, step, attempt }: Attempt): Promise<number> {
  const row = await COUNT.get(tx, { instanceId, step, attempt });
  return Number(row?.total ?? 0);
}

export async function endOpenChallenges(tx: TenantTx, { instanceId, step, attempt }: Attempt): Promise<void> {
  END_OPEN.send(tx, { instanceId, step, attempt });
}

export function findChallenge(db: TenantReads, instanceId: string, id: string): Promise<ChallengeRow | undefined> {
  return ONE.get(db, { instanceId, id });
}

type Saved = Pick<ChallengeRow, 'instance_id' | 'id' | 'state' | 'token' | 'progress'>;

/** The instance is locked by the caller. */
export async function saveChallenge(tx: TenantTx, { instance_id, id, state, token, progress }: Saved): Promise<void> {
  SAVE.send(tx, { instance_id, id, state, token, progress });
}

/** One conditional update: of any number of callers, one uses it. */
export async function useChallenge(tx: TenantTx, of: Attempt & { id: string }, now: number): Promise<boolean> {
  const { instanceId, id, step, attempt } = of;
  return (await USE.run(tx, { instanceId, id, step, attempt, now })) === 1;
}
