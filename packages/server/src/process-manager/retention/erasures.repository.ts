import type { TenantReads, TenantTx } from '../../db/db.ts';
import { inList, jsonArrayOf, jsonPairs } from '../../db/sql/dialect.ts';
import { prepare, query } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import { BLOBS_OF_INSTANCE, ROWS_OF_DELETION, ROWS_OF_REDACTION } from './instance-parts.ts';

export type ErasureReason = 'REQUEST' | 'RETENTION' | 'REDACTION';

const COLUMNS = {
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
};

export type ErasureRow = RowOf<ReturnType<typeof table<typeof COLUMNS>>>;
type NewErasures = { tenant_id: string; ids: readonly string[]; reason: ErasureReason; at: number; by: string };

/** The records of deleted or of redacted instances, in two tables with the same columns. */
export type ErasureStore = {
  find(db: TenantReads, instanceId: string): Promise<ErasureRow | undefined>;
  /** The records whose blobs may still exist, the oldest first. */
  unfinished(db: TenantReads, slice: { deletedUntil: number; limit: number }): Promise<ErasureRow[]>;
  /** The records of these instances whose blobs may still exist. */
  unfinishedAmong(db: TenantReads, ids: readonly string[]): Promise<ErasureRow[]>;
  /** Stores receipts, pairs of an instance and its receipt. Resolves to the instances that were not confirmed before. */
  confirm(
    tx: TenantTx,
    confirmation: { at: number; receipts: readonly (readonly [instanceId: string, receipt: string])[] },
  ): Promise<Set<string>>;
  /** Adds records before the rows of the instances are removed: counts the rows, and stores the keys of the blobs. */
  add(tx: TenantTx, ids: readonly string[], deletion: { reason: ErasureReason; at: number; by: string }): Promise<void>;
};

function erasureStore(name: 'erasures' | 'redactions', rowCount: string): ErasureStore {
  const erasures = table(name, COLUMNS);
  const { columns } = erasures;
  const one = erasures.select(columns, 'WHERE tenant_id = :tenant_id AND instance_id = :instanceId');
  const unfinished = erasures.select(
    columns,
    `WHERE tenant_id = :tenant_id AND state = 'ERASING' AND deleted_at <= :deletedUntil
    ORDER BY deleted_at, instance_id LIMIT :limit + 0`,
  );
  const among = erasures.select(
    columns,
    `WHERE tenant_id = :tenant_id AND state = 'ERASING' AND instance_id ${inList(':ids')}`,
  );
  const confirmAll = query<{ instance_id: string }>()(`UPDATE ${name}
    SET state = 'ERASED', blob_keys = '[]', confirmed_at = :at, receipt = receipts.other
    FROM (${jsonPairs(':receipts')}) AS receipts
    WHERE tenant_id = :tenant_id AND instance_id = receipts.one AND state = 'ERASING' RETURNING instance_id`);
  const addAll = prepare<NewErasures, never>(`INSERT INTO ${name} (${Object.keys(COLUMNS).join(', ')})
    SELECT i.tenant_id, i.id, i.environment, i.definition_id, 'ERASING', CAST(:reason AS TEXT), i.created_at,
      CAST(:at AS BIGINT), CAST(:by AS TEXT), ${rowCount}, (SELECT count(*) ${BLOBS_OF_INSTANCE}),
      (SELECT ${jsonArrayOf('blobs.blob_key')} ${BLOBS_OF_INSTANCE}), NULL, NULL
    FROM process_instances i WHERE i.tenant_id = :tenant_id AND i.id ${inList(':ids')}`);
  return {
    find: (db, instanceId) => one.get(db, { instanceId }),
    unfinished: (db, slice) => unfinished.all(db, slice),
    unfinishedAmong: (db, ids) => among.all(db, { ids }),
    async confirm(tx, { at, receipts }) {
      const confirmed = await confirmAll.all(tx, { at, receipts: JSON.stringify(receipts) });
      return new Set(confirmed.map(({ instance_id }) => instance_id));
    },
    async add(tx, ids, deletion) {
      addAll.send(tx, { ids, ...deletion });
    },
  };
}

export const deletions = erasureStore('erasures', ROWS_OF_DELETION);
export const redactions = erasureStore('redactions', ROWS_OF_REDACTION);
