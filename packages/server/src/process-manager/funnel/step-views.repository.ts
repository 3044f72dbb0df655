import type { TenantTx } from '../../db/db.ts';
import { type StepView, stepViews } from '../instances/step-views.table.ts';

const SAVE = stepViews.insert(`ON CONFLICT (tenant_id, instance_id, step) DO UPDATE SET attempt = excluded.attempt,
  left_at = excluded.left_at, told_left = excluded.told_left, ended_at = excluded.ended_at`);

export const findStepView = stepViews.select(
  stepViews.columns,
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step',
).get;

/** The views that a transaction has read and saved. */
const viewsOfTransactions = new WeakMap<TenantTx, Map<string, Map<string, StepView>>>();

/** The caller has locked the instance, and then read its views. */
export function rememberStepViews(tx: TenantTx, instanceId: string, views: ReadonlyMap<string, StepView>): void {
  const byInstance = viewsOfTransactions.get(tx) ?? new Map<string, Map<string, StepView>>();
  viewsOfTransactions.set(tx, byInstance.set(instanceId, new Map(views)));
}

/** Reads a view from the memory of the transaction, or from the database. */
export async function stepViewIn(tx: TenantTx, instanceId: string, step: string): Promise<StepView | undefined> {
  const views = viewsOfTransactions.get(tx)?.get(instanceId);
  return views ? views.get(step) : findStepView(tx, { instanceId, step });
}

/** Each step may occur once. The caller has locked the instance. */
export function saveStepViews(tx: TenantTx, rows: readonly StepView[]): void {
  SAVE.sendAll(tx, rows);
  for (const row of rows) viewsOfTransactions.get(tx)?.get(row.instance_id)?.set(row.step, row);
}
