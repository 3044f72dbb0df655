import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

/** Which session a step of a journey has opened: only that one can be finished by it. */
export type StepOfInstance = { readonly instanceId: string; readonly step: string };

const PUT = sql(`INSERT INTO step_ceremonies (tenant_id, instance_id, step, session_id, created_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, instance_id, step) DO UPDATE SET session_id = excluded.session_id,
    created_at = excluded.created_at`);
const ONE = sql(`SELECT session_id FROM step_ceremonies WHERE tenant_id = $1 AND instance_id = $2 AND step = $3`);
const TAKE = sql(`DELETE FROM step_ceremonies WHERE tenant_id = $1 AND instance_id = $2 AND step = $3
  RETURNING session_id`);

export async function putStepCeremony(
  tx: TenantTx,
  { instanceId, step }: StepOfInstance,
  { sessionId, now }: { sessionId: string; now: number },
): Promise<void> {
  await tx.run(PUT, [tx.tenantId, instanceId, step, sessionId, now]);
}

export async function findStepCeremony(
  db: TenantReads,
  { instanceId, step }: StepOfInstance,
): Promise<string | undefined> {
  const row = await db.get<{ session_id: string }>(ONE, [db.tenantId, instanceId, step]);
  return row?.session_id;
}

/** It is gone from then on. */
export async function takeStepCeremony(
  tx: TenantTx,
  { instanceId, step }: StepOfInstance,
): Promise<string | undefined> {
  const row = await tx.get<{ session_id: string }>(TAKE, [tx.tenantId, instanceId, step]);
  return row?.session_id;
}
