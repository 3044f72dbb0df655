import { addToCounters, type Counter } from '../../db/counters.ts';
import { getPersonalSeal, type TenantReads, type TenantTx } from '../../db/db.ts';
import { byLanguage, FOR_UPDATE, inList, jsonPairs, jsonTexts } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { MOST_APART_MS } from '../../kernel/clock.ts';
import { rowsInOrder } from '../../kernel/in-slices.ts';
import { type InstanceRow, type InstanceView, instances, VIEW_COLUMNS } from './instance-row.ts';
import { openRow, openRows, sealPerson, toStored } from './instance-seal.ts';
import { countOf, moveOne } from './instance-totals.ts';

export type { Environment } from '../../kernel/environment.ts';
export type { InstanceRow, InstanceView, ReviewStatus } from './instance-row.ts';

const { columns } = instances;
const BY_ID = 'WHERE tenant_id = :tenant_id AND id = :id';
const ONE_VIEW = instances.select(VIEW_COLUMNS, BY_ID);
const ONE_FOR_UPDATE = instances.select(columns, `${BY_ID} ${FOR_UPDATE}`);
const ROOT_FOR_UPDATE = instances.select(columns, `${BY_ID} AND parent_id IS NULL ${FOR_UPDATE}`);
const DESCENDANTS = query<{ descendants: number }>()(`WITH RECURSIVE below (id) AS (
    SELECT id FROM process_instances WHERE tenant_id = :tenant_id AND parent_id = :id
    UNION ALL
    SELECT p.id FROM process_instances p JOIN below ON p.parent_id = ${byLanguage('below.id')} WHERE p.tenant_id = :tenant_id)
  SELECT count(*) AS descendants FROM below`);
const ADD = instances.insert();
const CHANGE = instances.update(
  [
    'status',
    'completed_at',
    'review_status',
    'reviewer',
    'claimed_until',
    'review_priority',
    'deadline_at',
    'code_hash',
    'code_expires_at',
    'last_updated_at',
    'sequence',
  ],
  BY_ID,
);
const RESEAL = instances.update(['sealed'], BY_ID);
const REMOVE_ALL = instances.delete(`WHERE tenant_id = :tenant_id AND id ${inList(':ids')}`);
const REDACT_ALL =
  statement(`UPDATE process_instances SET sealed = NULL, first_name = NULL, last_name = NULL, email = NULL,
    phone_number = NULL, review_comment = NULL, extended_terms = NULL, name = NULL, description = NULL, parameters = '{}',
    terms = '[]', ui_url = NULL, code_hash = NULL, code_expires_at = NULL, claimed_until = NULL,
    redacted_at = CAST(:at AS BIGINT), last_updated_at = CAST(:at AS BIGINT)
  WHERE tenant_id = :tenant_id AND id ${inList(':ids')}`);
const REMOVE_TERM = statement(
  'DELETE FROM instance_terms WHERE tenant_id = :tenant_id AND environment = :environment AND term = :term AND instance_id = :id',
);
const REMOVE_TERMS = statement(`DELETE FROM instance_terms WHERE tenant_id = :tenant_id AND environment = :environment
  AND (term, instance_id) IN (${jsonPairs(':pairs')})`);
const ADD_TOMBSTONES = statement(`INSERT INTO instance_tombstones
  (tenant_id, instance_id, definition_id, environment, created_at, deleted_at, deleted_by)
  SELECT tenant_id, id, definition_id, environment, created_at, CAST(:now AS BIGINT), CAST(:by AS TEXT)
  FROM process_instances WHERE tenant_id = :tenant_id AND id ${inList(':ids')}
  ON CONFLICT (tenant_id, instance_id) DO NOTHING`);

export async function findInstanceView(db: TenantReads, id: string): Promise<InstanceView | undefined> {
  const row = await ONE_VIEW.get(db, { id });
  return row && openRow(db, row);
}

export async function findInstance(db: TenantReads, id: string): Promise<InstanceRow | undefined> {
  const row = await findStoredInstance(db, { id });
  return row && openRow(db, row);
}

/** The stored row, with its personal data sealed. */
export const findStoredInstance = instances.select(columns, BY_ID).get;

/** Locks the row until the transaction ends. */
export async function findInstanceForUpdate(tx: TenantTx, id: string): Promise<InstanceRow | undefined> {
  const row = await ONE_FOR_UPDATE.get(tx, { id });
  return row && openRow(tx, row);
}

/** Locks the row if it has no parent; otherwise resolves to undefined without a lock. */
export async function findRootForUpdate(tx: TenantTx, id: string): Promise<InstanceRow | undefined> {
  const row = await ROOT_FOR_UPDATE.get(tx, { id });
  return row && openRow(tx, row);
}

/** Locks the row until the transaction ends, for a caller who reads it afterwards. Undefined if there is none. */
export const lockInstance = instances.select(['id'], `${BY_ID} ${FOR_UPDATE}`).get;

/** Locks the row if it has no parent; otherwise resolves to undefined without a lock. */
export const lockRoot = instances.select(['id'], `${BY_ID} AND parent_id IS NULL ${FOR_UPDATE}`).get;

/** Instances below this one, on all levels. */
export async function countDescendants(db: TenantReads, id: string): Promise<number> {
  return (await DESCENDANTS.get(db, { id }))?.descendants ?? 0;
}

const SPEND_CODE = query<{ id: string }>()(`UPDATE process_instances SET code_hash = NULL, code_expires_at = NULL
  WHERE tenant_id = :tenant_id AND id = :instanceId AND code_hash = :hash AND code_expires_at > :now
  AND created_at <= :now + ${MOST_APART_MS} RETURNING id`);

/**
 * Ensures that only one of several callers with the code of a redirect address gets its instance. A code from the future,
 * which a wrong clock made and which would live too long, is not valid.
 */
export async function spendStartCode(
  tx: TenantTx,
  { instanceId, hash, now }: { instanceId: string; hash: Uint8Array; now: number },
): Promise<string | undefined> {
  return (await SPEND_CODE.get(tx, { instanceId, hash, now }))?.id;
}

/** Adds the row with its search terms, and counts it in its total and in other counters. */
export async function addInstance(tx: TenantTx, fresh: InstanceRow, counters: readonly Counter[] = []): Promise<void> {
  const row = toStored(await getPersonalSeal(tx), fresh);
  ADD.send(tx, row);
  await addTerms(tx, row);
  addToCounters(tx, [countOf(row), ...counters]);
}

/** Stores the columns that can change. The caller has locked the row; `before` is the row under the lock. */
export async function changeInstance(tx: TenantTx, before: InstanceRow, after: InstanceRow): Promise<InstanceRow> {
  CHANGE.send(tx, { ...after, id: before.id });
  if (after.status !== before.status) await moveOne(tx, before, after);
  if (after.review_comment === before.review_comment) return after;
  const sealed = sealPerson(await getPersonalSeal(tx), after);
  RESEAL.send(tx, { id: before.id, sealed });
  return { ...after, sealed };
}

/** Sets the scenario of the sandbox for this instance. The caller has locked the row. */
export async function setScenario(tx: TenantTx, row: InstanceRow, scenario: string): Promise<void> {
  const parameters = JSON.stringify({ ...(JSON.parse(row.parameters) as object), _scenario: scenario });
  RESEAL.send(tx, { id: row.id, sealed: sealPerson(await getPersonalSeal(tx), { ...row, parameters }) });
}

export type RemovedRow = Pick<InstanceRow, 'id' | 'environment' | 'terms'>;

/** Removes instances with all their rows in other tables. The children of each are in `rows` as well. */
export async function removeInstances(
  tx: TenantTx,
  rows: readonly RemovedRow[],
  { by, at: now }: { by: string; at: number },
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  removeTermsOfAll(tx, rows);
  ADD_TOMBSTONES.send(tx, { ids, now, by });
  REMOVE_ALL.send(tx, { ids });
}

function removeTermsOfAll(tx: TenantTx, rows: readonly RemovedRow[]): void {
  for (const environment of ['live', 'test'] as const) {
    const ofEnvironment = rows.filter((row) => row.environment === environment);
    const pairs = ofEnvironment.flatMap(({ id, terms }) => (JSON.parse(terms) as string[]).map((term) => [term, id]));
    if (pairs.length > 0) REMOVE_TERMS.send(tx, { environment, pairs: JSON.stringify(pairs) });
  }
}

/** Removes the personal data and the search terms from the rows of instances. */
export async function redactRows(tx: TenantTx, rows: readonly RemovedRow[], at: number): Promise<void> {
  removeTermsOfAll(tx, rows);
  REDACT_ALL.send(tx, { ids: rows.map(({ id }) => id), at });
}

export async function removeTerms(tx: TenantTx, row: InstanceRow): Promise<void> {
  for (const term of JSON.parse(row.terms) as string[]) {
    REMOVE_TERM.send(tx, { environment: row.environment, term, id: row.id });
  }
}

const ADD_TERMS = statement(`INSERT INTO instance_terms (tenant_id, environment, term, instance_id)
  SELECT CAST(:tenant_id AS TEXT), CAST(:environment AS TEXT), value, CAST(:id AS TEXT)
  FROM (${jsonTexts(':terms')}) AS words`);

/** Adds all terms in one statement, which saves round trips to PostgreSQL. */
export async function addTerms(tx: TenantTx, { id, environment, terms }: InstanceRow): Promise<void> {
  if (terms !== '[]') ADD_TERMS.send(tx, { id, environment, terms });
}

const PARENTS = query<{ id: string; parent_id: string }>()(`SELECT id, parent_id FROM process_instances
  WHERE tenant_id = :tenant_id AND parent_id IS NOT NULL AND id ${inList(':ids')}`);

/** The parent of each of these instances that has one. */
export async function parentsOf(db: TenantReads, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = ids.length === 0 ? [] : await PARENTS.all(db, { ids });
  return new Map(rows.map(({ id, parent_id }) => [id, parent_id]));
}

const VIEWS = instances.select(VIEW_COLUMNS, `WHERE tenant_id = :tenant_id AND id ${inList(':ids')}`);

/** The rows in the order of these ids, without those that were deleted meanwhile. */
export async function findInstanceViews(db: TenantReads, ids: readonly string[]): Promise<InstanceView[]> {
  return rowsInOrder(db, ids, async (some) => openRows(db, await VIEWS.all(db, { ids: some })));
}

/** The parameters for the template of a webhook; undefined if the instance was deleted. */
export async function parametersOf(db: TenantReads, instanceId: string): Promise<Record<string, string> | undefined> {
  const row = await findInstance(db, instanceId);
  return row && (JSON.parse(row.parameters) as Record<string, string>);
}

const OVERDUE = query<{ id: string }>()(`SELECT id FROM process_instances
  WHERE tenant_id = :tenant_id AND deadline_at IS NOT NULL AND deadline_at <= :now
  ORDER BY deadline_at LIMIT :limit + 0`);
const POSTPONE = statement(`UPDATE process_instances SET deadline_at = :until
  WHERE tenant_id = :tenant_id AND id = :instanceId AND deadline_at IS NOT NULL`);

export async function overdueInstances(db: TenantReads, now: number, limit: number): Promise<string[]> {
  const rows = await OVERDUE.all(db, { now, limit });
  return rows.map(({ id }) => id);
}

/** Postpones the termination of an instance that failed. */
export async function postponeDeadline(tx: TenantTx, instanceId: string, until: number): Promise<void> {
  POSTPONE.send(tx, { instanceId, until });
}
