import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';

/** The session that a step of a journey opened: the step can complete only this one. */
export type StepOfInstance = { readonly instanceId: string; readonly step: string };
const ONE = query<{ session_id: string }>()(
  `SELECT session_id FROM step_ceremonies WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step`,
);
const TAKE = query<{
  session_id: string;
}>()(`DELETE FROM step_ceremonies WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step
  RETURNING session_id`);

export const putStepCeremony =
  statement(`INSERT INTO step_ceremonies (tenant_id, instance_id, step, session_id, created_at)
  VALUES (:tenant_id, :instanceId, :step, :sessionId, :now)
  ON CONFLICT (tenant_id, instance_id, step) DO UPDATE SET session_id = excluded.session_id,
    created_at = excluded.created_at`).send;

export async function findStepCeremony(
  db: TenantReads,
  { instanceId, step }: StepOfInstance,
): Promise<string | undefined> {
  const row = await ONE.get(db, { instanceId, step });
  return row?.session_id;
}

/** Removes and returns the session id. */
export async function takeStepCeremony(
  tx: TenantTx,
  { instanceId, step }: StepOfInstance,
): Promise<string | undefined> {
  const row = await TAKE.get(tx, { instanceId, step });
  return row?.session_id;
}
