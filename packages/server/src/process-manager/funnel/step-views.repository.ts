import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

/** A step as the end user of an instance was shown it. */
export type StepView = {
  instance_id: string;
  step: string;
  attempt: number;
  seen_at: number;
  left_at: number | null;
  told_left: number;
  ended_at: number | null;
};

const COLUMNS = 'instance_id, step, attempt, seen_at, left_at, told_left, ended_at';
const ONE = sql(`SELECT ${COLUMNS} FROM step_views WHERE tenant_id = $1 AND instance_id = $2 AND step = $3`);
const SAVE = sql(`INSERT INTO step_views (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (tenant_id, instance_id, step) DO UPDATE SET attempt = excluded.attempt, left_at = excluded.left_at,
  told_left = excluded.told_left, ended_at = excluded.ended_at`);

export function findStepView(db: TenantReads, instanceId: string, step: string): Promise<StepView | undefined> {
  return db.get<StepView>(ONE, [db.tenantId, instanceId, step]);
}

/** The caller has locked the instance. */
export async function saveStepView(tx: TenantTx, row: StepView): Promise<void> {
  await tx.run(SAVE, [
    ...[tx.tenantId, row.instance_id, row.step, row.attempt, row.seen_at],
    ...[row.left_at, row.told_left, row.ended_at],
  ]);
}
