import { type Sql, sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { rowOf } from '../../db/sql/row-maker.ts';
import type { InstanceRow, InstanceView } from './instance-row.ts';
import { openRow, openRows, sealOf, sealPerson, toStored } from './instance-seal.ts';
import { countOne, discountOne, moveOne } from './instance-totals.ts';

export type { Environment } from '../../kernel/environment.ts';
export type { InstanceRow, InstanceView, ReviewStatus } from './instance-row.ts';

const VIEW_COLUMNS = `id, environment, definition_id, process_defn_name, process_defn_version, status, first_name,
  last_name, email, phone_number, retention_days, expiring_at, created_at, completed_at, review_status, review_comment,
  reviewer, extended_terms, sealed`;
const toView = rowOf(VIEW_COLUMNS);
const COLUMNS = `${VIEW_COLUMNS}, last_updated_at, claimed_until, token_id, token_counter, parent_id, parent_step, name,
  description, parameters, ui_url, deadline_at, sequence, terms, code_hash, code_expires_at`;

const ONE_VIEW = sql(`SELECT ${VIEW_COLUMNS} FROM process_instances WHERE tenant_id = $1 AND id = $2`, toView);
const ONE = sql(`SELECT ${COLUMNS} FROM process_instances WHERE tenant_id = $1 AND id = $2`);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM process_instances WHERE tenant_id = $1 AND id = $2 ${FOR_UPDATE}`);
const CHILDREN_FOR_UPDATE = sql(
  `SELECT ${COLUMNS} FROM process_instances WHERE tenant_id = $1 AND parent_id = $2 ORDER BY id ${FOR_UPDATE}`,
);
const DESCENDANTS = sql(`WITH RECURSIVE below (id) AS (
    SELECT id FROM process_instances WHERE tenant_id = $1 AND parent_id = $2
    UNION ALL
    SELECT p.id FROM process_instances p JOIN below ON p.parent_id = below.id WHERE p.tenant_id = $1)
  SELECT count(*) AS descendants FROM below`);
const ADD = sql(`INSERT INTO process_instances (tenant_id, ${COLUMNS})
  VALUES ($1, ${Array.from({ length: 34 }, (_, at) => `$${at + 2}`).join(', ')})`);
const CHANGE = sql(`UPDATE process_instances SET status = $3, completed_at = $4, review_status = $5,
  reviewer = $6, claimed_until = $7, deadline_at = $8, code_hash = $9, code_expires_at = $10, last_updated_at = $11
  WHERE tenant_id = $1 AND id = $2`);
const RESEAL = sql('UPDATE process_instances SET sealed = $3 WHERE tenant_id = $1 AND id = $2');
const REMOVE = sql('DELETE FROM process_instances WHERE tenant_id = $1 AND id = $2');
const REMOVE_TERM = sql(
  'DELETE FROM instance_terms WHERE tenant_id = $1 AND environment = $2 AND term = $3 AND instance_id = $4',
);
const ADD_TOMBSTONE = sql(`INSERT INTO instance_tombstones
  (tenant_id, instance_id, definition_id, environment, created_at, deleted_at, deleted_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, instance_id) DO NOTHING`);
const BLOB_KEYS = sql('SELECT blob_key FROM instance_images WHERE tenant_id = $1 AND instance_id = $2');

export async function findInstanceView(db: TenantReads, id: string): Promise<InstanceView | undefined> {
  const row = await db.get<InstanceView>(ONE_VIEW, [db.tenantId, id]);
  return row && openRow(db, row);
}

export async function findInstance(db: TenantReads, id: string): Promise<InstanceRow | undefined> {
  const row = await findStoredInstance(db, id);
  return row && openRow(db, row);
}

/** As it stands in the database. */
export function findStoredInstance(db: TenantReads, id: string): Promise<InstanceRow | undefined> {
  return db.get<InstanceRow>(ONE, [db.tenantId, id]);
}

/** Nobody else can change the instance until the transaction ends. */
export async function findInstanceForUpdate(tx: TenantTx, id: string): Promise<InstanceRow | undefined> {
  const row = await tx.get<InstanceRow>(ONE_FOR_UPDATE, [tx.tenantId, id]);
  return row && openRow(tx, row);
}

/** Instances below this one, on all levels. */
export async function countDescendants(db: TenantReads, id: string): Promise<number> {
  return (await db.get<{ descendants: number }>(DESCENDANTS, [db.tenantId, id]))?.descendants ?? 0;
}

export async function findChildrenForUpdate(tx: TenantTx, parentId: string): Promise<InstanceRow[]> {
  return openRows(tx, await tx.all<InstanceRow>(CHILDREN_FOR_UPDATE, [tx.tenantId, parentId]));
}

const SPEND_CODE = sql(`UPDATE process_instances SET code_hash = NULL, code_expires_at = NULL
  WHERE tenant_id = $1 AND id = $2 AND code_hash = $3 AND code_expires_at > $4 RETURNING id`);

/** Of any number of callers with the code of a redirect address, one gets the id of its instance. */
export async function spendStartCode(
  tx: TenantTx,
  { instanceId, hash, now }: { instanceId: string; hash: Uint8Array; now: number },
): Promise<string | undefined> {
  return (await tx.get<{ id: string }>(SPEND_CODE, [tx.tenantId, instanceId, hash, now]))?.id;
}

/** The row, the words it is found by, and the total it belongs to. */
export async function addInstance(tx: TenantTx, fresh: InstanceRow): Promise<void> {
  const row = toStored(await sealOf(tx), fresh);
  await tx.run(ADD, [
    tx.tenantId,
    ...[row.id, row.environment, row.definition_id, row.process_defn_name, row.process_defn_version, row.status],
    ...[row.first_name, row.last_name, row.email, row.phone_number, row.retention_days, row.expiring_at],
    ...[row.created_at, row.completed_at, row.review_status, row.review_comment, row.reviewer, row.extended_terms],
    ...[
      row.sealed,
      row.last_updated_at,
      row.claimed_until,
      row.token_id,
      row.token_counter,
      row.parent_id,
      row.parent_step,
    ],
    ...[row.name, row.description, row.parameters, row.ui_url, row.deadline_at, row.sequence, row.terms],
    ...[row.code_hash, row.code_expires_at],
  ]);
  await addTerms(tx, row);
  await countOne(tx, row);
}

/**
 * Stores what can change, but for the sequence, which is that of the events. The caller has locked the row; `before` is
 * what it was then.
 */
export async function changeInstance(tx: TenantTx, before: InstanceRow, after: InstanceRow): Promise<InstanceRow> {
  await tx.run(CHANGE, [
    tx.tenantId,
    before.id,
    ...[after.status, after.completed_at, after.review_status, after.reviewer],
    ...[after.claimed_until, after.deadline_at, after.code_hash, after.code_expires_at],
    after.last_updated_at,
  ]);
  if (after.status !== before.status) await moveOne(tx, before, after);
  if (after.review_comment === before.review_comment) return after;
  const sealed = sealPerson(await sealOf(tx), after);
  await tx.run(RESEAL, [tx.tenantId, before.id, sealed]);
  return { ...after, sealed };
}

/** What the sandbox finds in this instance from now on. The caller has locked the row. */
export async function setScenario(tx: TenantTx, row: InstanceRow, scenario: string): Promise<void> {
  const parameters = JSON.stringify({ ...(JSON.parse(row.parameters) as object), _scenario: scenario });
  await tx.run(RESEAL, [tx.tenantId, row.id, sealPerson(await sealOf(tx), { ...row, parameters })]);
}

/** The instance with everything that hangs on it in the database, but for its children, which go before it. */
export async function removeInstance(tx: TenantTx, row: InstanceRow, by: string, now: number): Promise<void> {
  await removeTerms(tx, row);
  await tx.run(REMOVE, [tx.tenantId, row.id]);
  await tx.run(ADD_TOMBSTONE, [
    ...[tx.tenantId, row.id, row.definition_id, row.environment, row.created_at],
    ...[now, by],
  ]);
  await discountOne(tx, row);
}

export async function removeTerms(tx: TenantTx, row: InstanceRow): Promise<void> {
  for (const term of JSON.parse(row.terms) as string[]) {
    await tx.run(REMOVE_TERM, [tx.tenantId, row.environment, term, row.id]);
  }
}

export async function blobKeysOf(db: TenantReads, instanceId: string): Promise<string[]> {
  const rows = await db.all<{ blob_key: string }>(BLOB_KEYS, [db.tenantId, instanceId]);
  return rows.map(({ blob_key }) => blob_key);
}

const TERM_BATCH = 8;
const termStatements = new Map<number, Sql>();

/** One statement for several words: on PostgreSQL each is a journey to the server and back. */
export async function addTerms(tx: TenantTx, { id, environment, terms }: InstanceRow): Promise<void> {
  const all = JSON.parse(terms) as string[];
  for (let from = 0; from < all.length; from += TERM_BATCH) {
    const batch = all.slice(from, from + TERM_BATCH);
    let statement = termStatements.get(batch.length);
    if (!statement) {
      const rows = batch.map((_, at) => `($1, $2, $${at + 4}, $3)`).join(', ');
      statement = sql(`INSERT INTO instance_terms (tenant_id, environment, term, instance_id) VALUES ${rows}`);
      termStatements.set(batch.length, statement);
    }
    await tx.run(statement, [tx.tenantId, environment, id, ...batch]);
  }
}

const viewStatements = new Map<number, Sql>();
const VIEW_BATCHES = [1, 10, 100, 1000] as const;

/** Rows in the order of their ids. One that is gone in the meantime is left out. */
export async function findInstanceViews(db: TenantReads, ids: readonly string[]): Promise<InstanceView[]> {
  if (ids.length === 0) return [];
  const found = new Map<string, InstanceView>();
  for (let from = 0; from < ids.length; from += 1000) {
    const batch = ids.slice(from, from + 1000);
    const size = VIEW_BATCHES.find((each) => each >= batch.length) ?? batch.length;
    // No id is empty: what fills the statement up finds nothing.
    const values = [...batch, ...new Array<string>(size - batch.length).fill('')];
    const rows = await db.all<InstanceView>(viewStatement(size), [db.tenantId, ...values]);
    for (const row of await openRows(db, rows)) found.set(row.id, row);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** A few sizes are kept prepared. */
function viewStatement(size: number): Sql {
  let statement = viewStatements.get(size);
  if (!statement) {
    const places = Array.from({ length: size }, (_, at) => `$${at + 2}`).join(', ');
    statement = sql(`SELECT ${VIEW_COLUMNS} FROM process_instances WHERE tenant_id = $1 AND id IN (${places})`, toView);
    viewStatements.set(size, statement);
  }
  return statement;
}
