import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import { dataKeyColumn } from '../../secrets/data-key-column.ts';
import { instanceSubject } from './instance-subject.ts';

const journeys = table('journeys', {
  tenant_id: text(),
  instance_id: text(),
  revision: integer(),
  /** JSON of the flow. */
  state: text(),
  /** JSON of the data, sealed for the instance. */
  sealed: optional(bytes()),
  due_at: optional(integer()),
});
export type JourneyRow = RowOf<typeof journeys>;

/** A journey with its data key; null if the key was destroyed. */
export type StoredJourney = JourneyRow & { data_key: Uint8Array | null };
const POSTPONE = statement(
  `UPDATE journeys SET due_at = :until WHERE tenant_id = :tenant_id AND instance_id = :instanceId
  AND due_at IS NOT NULL`,
);
const DUE = query<{ instance_id: string }>()(
  `SELECT instance_id FROM journeys WHERE tenant_id = :tenant_id AND due_at <= :now ORDER BY due_at LIMIT :limit + 0`,
);

export const findJourney = query<StoredJourney>()(`SELECT instance_id, revision, state, sealed, due_at,
  ${dataKeyColumn(`'${instanceSubject('')}' || instance_id`)} AS data_key
  FROM journeys WHERE tenant_id = :tenant_id AND instance_id = :instanceId`).get;

/** The caller has locked the instance. */
export const saveJourney = journeys.upsert(['tenant_id', 'instance_id']).send;

/** Increases the revision after a change of a child. */
export const touchJourney = statement(
  'UPDATE journeys SET revision = revision + 1 WHERE tenant_id = :tenant_id AND instance_id = :instanceId',
).send;

export async function dueJourneys(db: TenantReads, now: number, limit: number): Promise<string[]> {
  const rows = await DUE.all(db, { now, limit });
  return rows.map((row) => row.instance_id);
}

/** Postpones a due journey that could not continue. */
export async function postponeJourney(tx: TenantTx, instanceId: string, until: number): Promise<void> {
  POSTPONE.send(tx, { instanceId, until });
}
