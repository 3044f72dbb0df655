import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { instanceSubject } from '../instances/instance-subject.ts';

export type ErasureReason = 'REQUEST' | 'RETENTION';

export type ErasureRow = {
  instance_id: string;
  environment: 'live' | 'test';
  definition_id: string;
  state: 'ERASING' | 'ERASED';
  reason: ErasureReason;
  created_at: number;
  deleted_at: number;
  deleted_by: string;
  rows_removed: number;
  blobs_removed: number;
  /** A JSON array of strings. */
  blob_keys: string;
  confirmed_at: number | null;
  receipt: string | null;
};

const COLUMNS = `instance_id, environment, definition_id, state, reason, created_at, deleted_at, deleted_by, rows_removed,
  blobs_removed, blob_keys, confirmed_at, receipt`;

const ADD = sql(`INSERT INTO erasures (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`);
const ONE = sql(`SELECT ${COLUMNS} FROM erasures WHERE tenant_id = $1 AND instance_id = $2`);
const UNFINISHED = sql(`SELECT ${COLUMNS} FROM erasures WHERE tenant_id = $1 AND state = 'ERASING'
  ORDER BY deleted_at, instance_id LIMIT $2 + 0`);
const CONFIRM = sql(`UPDATE erasures SET state = 'ERASED', blob_keys = '[]', confirmed_at = $3, receipt = $4
  WHERE tenant_id = $1 AND instance_id = $2 AND state = 'ERASING'`);

export async function addErasure(tx: TenantTx, row: ErasureRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.instance_id, row.environment, row.definition_id, row.state, row.reason],
    ...[row.created_at, row.deleted_at, row.deleted_by, row.rows_removed, row.blobs_removed, row.blob_keys],
    ...[row.confirmed_at, row.receipt],
  ]);
}

export function findErasure(db: TenantReads, instanceId: string): Promise<ErasureRow | undefined> {
  return db.get<ErasureRow>(ONE, [db.tenantId, instanceId]);
}

/** Those whose blobs may still be there, the oldest first. */
export function unfinishedErasures(db: TenantReads, limit: number): Promise<ErasureRow[]> {
  return db.all<ErasureRow>(UNFINISHED, [db.tenantId, limit]);
}

/** False if somebody else has confirmed it already. */
export async function confirmErasure(
  tx: TenantTx,
  { instanceId, at, receipt }: { instanceId: string; at: number; receipt: string },
): Promise<boolean> {
  return (await tx.run(CONFIRM, [tx.tenantId, instanceId, at, receipt])) === 1;
}

const PARTS = [
  'instance_events',
  'journeys',
  'journey_sessions',
  'journey_codes',
  'journey_messages',
  'instance_checks',
  'instance_images',
  'instance_faces',
  'liveness_challenges',
  'step_ceremonies',
  'step_views',
];
const ROWS = sql(`SELECT 1
  + (SELECT count(*) FROM data_keys WHERE tenant_id = $1 AND subject = $3)
  ${PARTS.map((part) => `+ (SELECT count(*) FROM ${part} WHERE tenant_id = $1 AND instance_id = $2)`).join('\n  ')}
  AS total`);

/** The instance, its key and what hangs on it; the words it is found by are counted by whoever has the row. */
export async function countRowsOf(db: TenantReads, instanceId: string): Promise<number> {
  const values = [db.tenantId, instanceId, instanceSubject(instanceId)];
  return (await db.get<{ total: number }>(ROWS, values))?.total ?? 0;
}
