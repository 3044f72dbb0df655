import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

export type ChallengeState = 'OPEN' | 'DONE' | 'ENDED' | 'USED';

export type ChallengeRow = {
  instance_id: string;
  id: string;
  step: string;
  attempt: number;
  state: ChallengeState;
  token: string;
  public_key: string;
  progress: Uint8Array;
  started_at: number;
  expires_at: number;
};

export type Attempt = { readonly instanceId: string; readonly step: string; readonly attempt: number };

const COLUMNS = 'instance_id, id, step, attempt, state, token, public_key, progress, started_at, expires_at';

const ADD = sql(`INSERT INTO liveness_challenges (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);
const COUNT = sql(`SELECT count(*) AS total FROM liveness_challenges
  WHERE tenant_id = $1 AND instance_id = $2 AND step = $3 AND attempt = $4`);
const END_OPEN = sql(`UPDATE liveness_challenges SET state = 'ENDED'
  WHERE tenant_id = $1 AND instance_id = $2 AND step = $3 AND attempt = $4 AND state IN ('OPEN', 'DONE')`);
const ONE = sql(`SELECT ${COLUMNS} FROM liveness_challenges WHERE tenant_id = $1 AND instance_id = $2 AND id = $3`);
const SAVE = sql(`UPDATE liveness_challenges SET state = $4, token = $5, progress = $6
  WHERE tenant_id = $1 AND instance_id = $2 AND id = $3`);
const USE = sql(`UPDATE liveness_challenges SET state = 'USED'
  WHERE tenant_id = $1 AND instance_id = $2 AND id = $3 AND step = $4 AND attempt = $5 AND state = 'DONE'
    AND expires_at >= $6`);

export async function addChallenge(tx: TenantTx, row: ChallengeRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.instance_id, row.id, row.step, row.attempt, row.state],
    ...[row.token, row.public_key, row.progress, row.started_at, row.expires_at],
  ]);
}

export async function countChallenges(tx: TenantTx, { instanceId, step, attempt }: Attempt): Promise<number> {
  const found = await tx.get<{ total: number }>(COUNT, [tx.tenantId, instanceId, step, attempt]);
  return Number(found?.total ?? 0);
}

export async function endOpenChallenges(tx: TenantTx, { instanceId, step, attempt }: Attempt): Promise<void> {
  await tx.run(END_OPEN, [tx.tenantId, instanceId, step, attempt]);
}

export function findChallenge(db: TenantReads, instanceId: string, id: string): Promise<ChallengeRow | undefined> {
  return db.get<ChallengeRow>(ONE, [db.tenantId, instanceId, id]);
}

type Saved = Pick<ChallengeRow, 'instance_id' | 'id' | 'state' | 'token' | 'progress'>;

/** The instance is locked by the caller. */
export async function saveChallenge(tx: TenantTx, { instance_id, id, state, token, progress }: Saved): Promise<void> {
  await tx.run(SAVE, [tx.tenantId, instance_id, id, state, token, progress]);
}

/** One conditional update: of any number of callers, one uses it. */
export async function useChallenge(tx: TenantTx, of: Attempt & { id: string }, now: number): Promise<boolean> {
  const { instanceId, id, step, attempt } = of;
  return (await tx.run(USE, [tx.tenantId, instanceId, id, step, attempt, now])) === 1;
}
