import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import { integer, table, text } from '../../db/sql/table.ts';

/** The session that a step of a journey opened: the step can complete only this one. */
export type StepOfInstance = { readonly instanceId: string; readonly step: string };
const ceremonies = table('step_ceremonies', {
  tenant_id: text(),
  instance_id: text(),
  step: text(),
  session_id: text(),
  created_at: integer(),
});
const OF_STEP = 'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step';
const ONE = ceremonies.select(['session_id'], OF_STEP);
const TAKE = query<{ session_id: string }>()(`DELETE FROM step_ceremonies ${OF_STEP} RETURNING session_id`);

const PUT = ceremonies.upsert(['tenant_id', 'instance_id', 'step']);

export function putStepCeremony(
  tx: TenantTx,
  { instanceId, step }: StepOfInstance,
  sessionId: string,
  now: number,
): void {
  PUT.send(tx, { instance_id: instanceId, step, session_id: sessionId, created_at: now });
}

export async function findStepCeremony(db: TenantReads, step: StepOfInstance): Promise<string | undefined> {
  return (await ONE.get(db, step))?.session_id;
}

/** Removes and returns the session id. */
export async function takeStepCeremony(tx: TenantTx, step: StepOfInstance): Promise<string | undefined> {
  return (await TAKE.get(tx, step))?.session_id;
}
