import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

export type ChallengeRow = {
  instance_id: string;
  nonce: string;
  step: string;
  attempt: number;
  poses: string;
  issued_at: number;
  expires_at: number;
  used_at: number | null;
};

const COLUMNS = 'instance_id, nonce, step, attempt, poses, issued_at, expires_at, used_at';

const ADD = sql(`INSERT INTO face_challenges (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL)`);
const OPEN = sql(`SELECT count(*) AS total FROM face_challenges
  WHERE tenant_id = $1 AND instance_id = $2 AND step = $3 AND attempt = $4 AND used_at IS NULL AND expires_at >= $5`);
/** What nobody can answer any more is of no use to anybody; what was answered belongs to the findings. */
const FORGET = sql(`DELETE FROM face_challenges
  WHERE tenant_id = $1 AND instance_id = $2 AND used_at IS NULL AND expires_at < $3`);
const SPEND = sql(`UPDATE face_challenges SET used_at = $6
  WHERE tenant_id = $1 AND instance_id = $2 AND nonce = $3 AND step = $4 AND attempt = $5
    AND used_at IS NULL AND expires_at >= $6`);
const SPENT = sql(`SELECT ${COLUMNS} FROM face_challenges
  WHERE tenant_id = $1 AND instance_id = $2 AND nonce = $3 AND step = $4 AND attempt = $5 AND used_at IS NOT NULL`);

export async function addChallenge(tx: TenantTx, row: Omit<ChallengeRow, 'used_at'>): Promise<void> {
  const { instance_id, nonce, step, attempt, poses, issued_at, expires_at } = row;
  await tx.run(ADD, [tx.tenantId, instance_id, nonce, step, attempt, poses, issued_at, expires_at]);
}

export type Attempt = { readonly instanceId: string; readonly step: string; readonly attempt: number };

export async function countOpen(tx: TenantTx, { instanceId, step, attempt }: Attempt, now: number): Promise<number> {
  const found = await tx.get<{ total: number }>(OPEN, [tx.tenantId, instanceId, step, attempt, now]);
  return Number(found?.total ?? 0);
}

export async function forgetExpired(tx: TenantTx, instanceId: string, now: number): Promise<void> {
  await tx.run(FORGET, [tx.tenantId, instanceId, now]);
}

/** One conditional update: of any number of callers, one spends it. */
export async function spend(tx: TenantTx, of: Attempt & { nonce: string }, now: number): Promise<boolean> {
  const { instanceId, nonce, step, attempt } = of;
  return (await tx.run(SPEND, [tx.tenantId, instanceId, nonce, step, attempt, now])) === 1;
}

export function findSpent(db: TenantReads, of: Attempt & { nonce: string }): Promise<ChallengeRow | undefined> {
  const { instanceId, nonce, step, attempt } = of;
  return db.get<ChallengeRow>(SPENT, [db.tenantId, instanceId, nonce, step, attempt]);
}
