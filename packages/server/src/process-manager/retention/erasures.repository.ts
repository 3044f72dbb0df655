import type { TenantReads, TenantTx } from '../../db/db.ts';
import { prepare, statement } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import { instanceSubject } from '../instances/instance-subject.ts';

export type ErasureReason = 'REQUEST' | 'RETENTION';

const erasures = table('erasures', {
  tenant_id: text(),
  instance_id: text(),
  environment: text<Environment>(),
  definition_id: text(),
  state: text<'ERASING' | 'ERASED'>(),
  reason: text<ErasureReason>(),
  created_at: integer(),
  deleted_at: integer(),
  deleted_by: text(),
  rows_removed: integer(),
  blobs_removed: integer(),
  /** A JSON array of strings. */
  blob_keys: text(),
  confirmed_at: optional(integer()),
  receipt: optional(text()),
});
const { columns } = erasures;
export type ErasureRow = RowOf<typeof erasures>;

const ADD = erasures.insert();
const ONE = erasures.select(columns, 'WHERE tenant_id = :tenant_id AND instance_id = :instanceId');
const UNFINISHED = erasures.select(
  columns,
  `WHERE tenant_id = :tenant_id AND state = 'ERASING'
  ORDER BY deleted_at, instance_id LIMIT :limit + 0`,
);
const CONFIRM =
  statement(`UPDATE erasures SET state = 'ERASED', blob_keys = '[]', confirmed_at = :at, receipt = :receipt
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND state = 'ERASING'`);

export async function addErasure(tx: TenantTx, row: ErasureRow): Promise<void> {
  ADD.send(tx, row);
}

export function findErasure(db: TenantReads, instanceId: string): Promise<ErasureRow | undefined> {
  return ONE.get(db, { instanceId });
}

/** Those whose blobs may still be there, the oldest first. */
export function unfinishedErasures(db: TenantReads, limit: number): Promise<ErasureRow[]> {
  return UNFINISHED.all(db, { limit });
}

/** False if somebody else has confirmed it already. */
export async function confirmErasure(
  tx: TenantTx,
  { instanceId, at, receipt }: { instanceId: string; at: number; receipt: string },
): Promise<boolean> {
  return (await CONFIRM.run(tx, { instanceId, at, receipt })) === 1;
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
  'instance_links',
  'instance_notes',
  'review_verdicts',
];
const ROWS = prepare<{ tenant_id: string; instanceId: string; subject: string }, { total: number }>(`SELECT 1
  + (SELECT count(*) FROM data_keys WHERE tenant_id = :tenant_id AND subject = :subject)
  + (SELECT count(*) FROM instance_note_mentions WHERE tenant_id = :tenant_id AND note_id IN (
      SELECT id FROM instance_notes WHERE tenant_id = :tenant_id AND instance_id = :instanceId))
  ${PARTS.map((part) => `+ (SELECT count(*) FROM ${part} WHERE tenant_id = :tenant_id AND instance_id = :instanceId)`).join('\n  ')}
  AS total`);

/** The instance, its key and what hangs on it; the words it is found by are counted by whoever has the row. */
export async function countRowsOf(db: TenantReads, instanceId: string): Promise<number> {
  return (await ROWS.get(db, { instanceId, subject: instanceSubject(instanceId) }))?.total ?? 0;
}
