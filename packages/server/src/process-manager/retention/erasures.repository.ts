import type { TenantReads, TenantTx } from '../../db/db.ts';
import { byLanguage, inJson, jsonArrayOf, jsonLength, jsonPairs } from '../../db/sql/dialect.ts';
import { prepare, query } from '../../db/sql/statement.ts';
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

const ONE = erasures.select(columns, 'WHERE tenant_id = :tenant_id AND instance_id = :instanceId');
const UNFINISHED = erasures.select(
  columns,
  `WHERE tenant_id = :tenant_id AND state = 'ERASING' AND deleted_at <= :deletedUntil
  ORDER BY deleted_at, instance_id LIMIT :limit + 0`,
);
const AMONG = erasures.select(
  columns,
  `WHERE tenant_id = :tenant_id AND state = 'ERASING' AND instance_id ${inJson(':ids')}`,
);
const CONFIRM = query<{ instance_id: string }>()(`UPDATE erasures
  SET state = 'ERASED', blob_keys = '[]', confirmed_at = :at, receipt = receipts.other
  FROM (${jsonPairs(':receipts')}) AS receipts
  WHERE tenant_id = :tenant_id AND instance_id = receipts.one AND state = 'ERASING' RETURNING instance_id`);

export function findErasure(db: TenantReads, instanceId: string): Promise<ErasureRow | undefined> {
  return ONE.get(db, { instanceId });
}

/** Those whose blobs may still be there, the oldest first. */
export function unfinishedErasures(
  db: TenantReads,
  slice: { deletedUntil: number; limit: number },
): Promise<ErasureRow[]> {
  return UNFINISHED.all(db, slice);
}

/** Those of the instances whose blobs may still be there. */
export function unfinishedAmong(db: TenantReads, ids: readonly string[]): Promise<ErasureRow[]> {
  return AMONG.all(db, { ids: JSON.stringify(ids) });
}

/** Stores the receipts, pairs of an instance and its receipt. Returns the instances that nobody has confirmed before. */
export async function confirmErasures(
  tx: TenantTx,
  { at, receipts }: { at: number; receipts: readonly (readonly [instanceId: string, receipt: string])[] },
): Promise<Set<string>> {
  const confirmed = await CONFIRM.all(tx, { at, receipts: JSON.stringify(receipts) });
  return new Set(confirmed.map(({ instance_id }) => instance_id));
}

const PARTS = [
  'journey_messages',
  'instance_faces',
  'liveness_challenges',
  'step_ceremonies',
  'step_views',
  'instance_links',
  'instance_notes',
  'review_verdicts',
];
/** The oldest tables: their ids have no collation of their own, and PostgreSQL uses an index only where both sides agree. */
const OLD_PARTS = [
  'instance_events',
  'journeys',
  'journey_sessions',
  'journey_codes',
  'instance_checks',
  'instance_images',
];
const OLD_ID = byLanguage('i.id');
const countOf = (id: string) => (table: string) =>
  `(SELECT count(*) FROM ${table} WHERE ${table}.tenant_id = :tenant_id AND ${table}.instance_id = ${id})`;
/** An instance, its key, the words it is found by and what hangs on it. */
const ROWS = `1
  + (SELECT count(*) FROM data_keys k WHERE k.tenant_id = :tenant_id AND k.subject = '${instanceSubject('')}' || ${OLD_ID})
  + (SELECT count(*) FROM instance_notes n JOIN instance_note_mentions m ON m.tenant_id = n.tenant_id AND m.note_id = n.id
      WHERE n.tenant_id = :tenant_id AND n.instance_id = i.id)
  + ${jsonLength('i.terms')}
  + ${[...PARTS.map(countOf('i.id')), ...OLD_PARTS.map(countOf(OLD_ID))].join('\n  + ')}`;
const BLOB_KEYS = `(SELECT ${jsonArrayOf('m.blob_key')}
  FROM instance_images m WHERE m.tenant_id = :tenant_id AND m.instance_id = ${OLD_ID})`;
type NewErasures = { tenant_id: string; ids: string; reason: ErasureReason; at: number; by: string };
const ADD = prepare<
  NewErasures,
  never
>(`INSERT INTO erasures (tenant_id, instance_id, environment, definition_id, state, reason,
    created_at, deleted_at, deleted_by, rows_removed, blobs_removed, blob_keys, confirmed_at, receipt)
  SELECT i.tenant_id, i.id, i.environment, i.definition_id, 'ERASING', CAST(:reason AS TEXT), i.created_at,
    CAST(:at AS BIGINT), CAST(:by AS TEXT), ${ROWS},
    (SELECT count(*) FROM instance_images m WHERE m.tenant_id = :tenant_id AND m.instance_id = ${OLD_ID}),
    ${BLOB_KEYS}, NULL, NULL
  FROM process_instances i WHERE i.tenant_id = :tenant_id AND i.id ${inJson(':ids')}`);

/** Before the rows of the instances go: it counts them, and remembers their blobs. */
export async function addErasures(
  tx: TenantTx,
  ids: readonly string[],
  deletion: { reason: ErasureReason; at: number; by: string },
): Promise<void> {
  ADD.send(tx, { ids: JSON.stringify(ids), ...deletion });
}
