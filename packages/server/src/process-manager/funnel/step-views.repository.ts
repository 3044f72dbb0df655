import type { TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';

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
const OF_INSTANCE = query<StepView>()(
  `SELECT ${COLUMNS} FROM step_views WHERE tenant_id = :tenant_id AND instance_id = :instanceId`,
);
const SAVE =
  statement(`INSERT INTO step_views (tenant_id, ${COLUMNS}) VALUES (:tenant_id, :instance_id, :step, :attempt,
  :seen_at, :left_at, :told_left, :ended_at)
  ON CONFLICT (tenant_id, instance_id, step) DO UPDATE SET attempt = excluded.attempt, left_at = excluded.left_at,
  told_left = excluded.told_left, ended_at = excluded.ended_at`);

export const findStepView = query<StepView>()(
  `SELECT ${COLUMNS} FROM step_views WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step`,
).get;

/** The views of an instance as a transaction has read and saved them: their steps are told several events. */
const viewsOfTransactions = new WeakMap<TenantTx, Map<string, Promise<Map<string, StepView>>>>();

/** Begins to read them. The caller has locked the instance, or its lock has been sent. */
export function expectStepViews(tx: TenantTx, instanceId: string): void {
  const views = OF_INSTANCE.all(tx, { instanceId }).then((rows) => new Map(rows.map((row) => [row.step, row])));
  // Whoever asks for a view hears of a failure.
  views.catch(() => undefined);
  const byInstance = viewsOfTransactions.get(tx) ?? new Map<string, typeof views>();
  viewsOfTransactions.set(tx, byInstance.set(instanceId, views));
}

/** The same as `findStepView`, from what was read ahead if it was. */
export async function stepViewIn(tx: TenantTx, instanceId: string, step: string): Promise<StepView | undefined> {
  const views = viewsOfTransactions.get(tx)?.get(instanceId);
  return views ? (await views).get(step) : findStepView(tx, { instanceId, step });
}

/** The caller has locked the instance. */
export async function saveStepView(tx: TenantTx, row: StepView): Promise<void> {
  SAVE.send(tx, row);
  (await viewsOfTransactions.get(tx)?.get(row.instance_id))?.set(row.step, row);
}
