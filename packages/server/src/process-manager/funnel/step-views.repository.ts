import type { TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { StepView } from '../instances/instance-journey.repository.ts';

const COLUMNS = 'instance_id, step, attempt, seen_at, left_at, told_left, ended_at';
const SAVE =
  statement(`INSERT INTO step_views (tenant_id, ${COLUMNS}) VALUES (:tenant_id, :instance_id, :step, :attempt,
  :seen_at, :left_at, :told_left, :ended_at)
  ON CONFLICT (tenant_id, instance_id, step) DO UPDATE SET attempt = excluded.attempt, left_at = excluded.left_at,
  told_left = excluded.told_left, ended_at = excluded.ended_at`);

export const findStepView = query<StepView>()(
  `SELECT ${COLUMNS} FROM step_views WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step`,
).get;

/** The views that a transaction has read and saved. */
const viewsOfTransactions = new WeakMap<TenantTx, Map<string, Map<string, StepView>>>();

/** The caller has locked the instance, and then read its views. */
export function rememberStepViews(tx: TenantTx, instanceId: string, views: ReadonlyMap<string, StepView>): void {
  const byInstance = viewsOfTransactions.get(tx) ?? new Map<string, Map<string, StepView>>();
  viewsOfTransactions.set(tx, byInstance.set(instanceId, new Map(views)));
}

/** Reads what the transaction remembers, and the database otherwise. */
export async function stepViewIn(tx: TenantTx, instanceId: string, step: string): Promise<StepView | undefined> {
  const views = viewsOfTransactions.get(tx)?.get(instanceId);
  return views ? views.get(step) : findStepView(tx, { instanceId, step });
}

/** Each step may occur once. The caller has locked the instance. */
export function saveStepViews(tx: TenantTx, rows: readonly StepView[]): void {
  SAVE.sendAll(tx, rows);
  for (const row of rows) viewsOfTransactions.get(tx)?.get(row.instance_id)?.set(row.step, row);
}
