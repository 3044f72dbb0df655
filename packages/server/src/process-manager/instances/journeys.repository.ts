import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

export type JourneyRow = {
  instance_id: string;
  revision: number;
  /** JSON of the flow. */
  state: string;
  /** JSON of the data, sealed for the instance. */
  sealed: Uint8Array | null;
  due_at: number | null;
};

const ONE = sql(`SELECT instance_id, revision, state, sealed, due_at FROM journeys
  WHERE tenant_id = $1 AND instance_id = $2`);
const SAVE = sql(`INSERT INTO journeys (tenant_id, instance_id, revision, state, sealed, due_at)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, instance_id)
  DO UPDATE SET revision = excluded.revision, state = excluded.state, sealed = excluded.sealed, due_at = excluded.due_at`);
const TOUCH = sql('UPDATE journeys SET revision = revision + 1 WHERE tenant_id = $1 AND instance_id = $2');
const POSTPONE = sql(
  `UPDATE journeys SET due_at = $3 WHERE tenant_id = $1 AND instance_id = $2 AND due_at IS NOT NULL`,
);
const DUE = sql(`SELECT instance_id FROM journeys WHERE tenant_id = $1 AND due_at <= $2 ORDER BY due_at LIMIT $3 + 0`);

export function findJourney(db: TenantReads, instanceId: string): Promise<JourneyRow | undefined> {
  return db.get<JourneyRow>(ONE, [db.tenantId, instanceId]);
}

/** The instance is locked by the caller. */
export async function saveJourney(tx: TenantTx, row: JourneyRow): Promise<void> {
  await tx.run(SAVE, [tx.tenantId, row.instance_id, row.revision, row.state, row.sealed, row.due_at]);
}

/** Something below the instance has changed. */
export async function touchJourney(tx: TenantTx, instanceId: string): Promise<void> {
  await tx.run(TOUCH, [tx.tenantId, instanceId]);
}

export async function dueJourneys(db: TenantReads, now: number, limit: number): Promise<string[]> {
  const rows = await db.all<{ instance_id: string }>(DUE, [db.tenantId, now, limit]);
  return rows.map((row) => row.instance_id);
}

/** What is due could not happen. It is tried again then. */
export async function postponeJourney(tx: TenantTx, instanceId: string, until: number): Promise<void> {
  await tx.run(POSTPONE, [tx.tenantId, instanceId, until]);
}
