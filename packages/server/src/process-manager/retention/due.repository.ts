import type { TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE, inList, SKIP_LOCKED } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { findSetting, putSetting } from '../../db/tenant-settings.ts';
import type { Environment } from '../../kernel/environment.ts';
import { type InstanceRow, instances } from '../instances/instance-row.ts';

/**
 * Instances whose retention is over. A running one waits for its deadline, which is never far away; one in review has no
 * deadline and is deleted. See docs/decisions/2026-11-15-what-retention-removes.md.
 */
const DUE = 'tenant_id = :tenant_id AND expiring_at <= :now AND (deadline_at IS NULL OR deadline_at <= :now)';

export type DueScope = { environment?: Environment | undefined; now: number };
type DueRow = { id: string; created_at: number; expiring_at: number };

const IDS = query<DueRow>()(`SELECT id, created_at, expiring_at FROM process_instances WHERE ${DUE}
  ORDER BY expiring_at, id LIMIT :limit + 0`);
const IDS_OF_ENVIRONMENT = query<DueRow>()(`SELECT id, created_at, expiring_at FROM process_instances
  WHERE ${DUE} AND environment = :environment ORDER BY expiring_at, id LIMIT :limit + 0`);
const COUNTS = query<{
  due: number;
  in_review: number;
}>()(`SELECT count(*) AS due, coalesce(sum(CASE WHEN status = 'REVIEW' THEN 1 ELSE 0 END), 0) AS in_review
  FROM (SELECT status FROM process_instances WHERE ${DUE} AND environment = :environment LIMIT :cap + 0) AS counted`);

/** The columns of an instance that a deletion needs. None of them is sealed. */
const DELETED = [
  'id',
  'environment',
  'definition_id',
  'process_defn_name',
  'process_defn_version',
  'status',
  'sequence',
  'terms',
  'token_id',
  'redacted_at',
] as const;
export type DeletedRow = Pick<InstanceRow, (typeof DELETED)[number]>;

const notAmong = `AND NOT id ${inList(':others')}` as const;
const ROOTS = `WHERE ${DUE} AND parent_id IS NULL ${notAmong}` as const;
const OLDEST_FIRST = `ORDER BY expiring_at, id LIMIT :limit + 0` as const;
const LOCK_ROOTS = instances.select(DELETED, `${ROOTS} ${OLDEST_FIRST} ${SKIP_LOCKED}`);
const LOCK_ROOTS_OF_ENVIRONMENT = instances.select(
  DELETED,
  `${ROOTS} AND environment = :environment ${OLDEST_FIRST} ${SKIP_LOCKED}`,
);
const LOCK_CHILDREN = instances.select(
  DELETED,
  `WHERE tenant_id = :tenant_id AND parent_id ${inList(':parents')} ORDER BY id ${FOR_UPDATE}`,
);
const CHILDREN = query<{ id: string }>()(`SELECT id FROM process_instances
  WHERE ${DUE} AND parent_id IS NOT NULL ${notAmong} ${OLDEST_FIRST}`);
const CHILDREN_OF_ENVIRONMENT = query<{ id: string }>()(`SELECT id FROM process_instances
  WHERE ${DUE} AND parent_id IS NOT NULL AND environment = :environment ${notAmong} ${OLDEST_FIRST}`);

/** `others` are ids to skip. */
type DueSlice = DueScope & { limit: number; others: ReadonlySet<string> };

/** Locks the oldest due instances without a parent. It skips those that another server has locked. */
export function lockDueRoots(tx: TenantTx, { environment, now, limit, others }: DueSlice): Promise<DeletedRow[]> {
  const slice = { now, limit, others: [...others] };
  return environment === undefined
    ? LOCK_ROOTS.all(tx, slice)
    : LOCK_ROOTS_OF_ENVIRONMENT.all(tx, { ...slice, environment });
}

/** The due instances with a parent, which may not be due itself. */
export async function dueChildren(
  db: TenantReads,
  { environment, now, limit, others }: DueSlice,
): Promise<{ id: string }[]> {
  const slice = { now, limit, others: [...others] };
  return environment === undefined
    ? CHILDREN.all(db, slice)
    : CHILDREN_OF_ENVIRONMENT.all(db, { ...slice, environment });
}

/** Locks the descendants of instances whose rows the caller has locked. The lowest level comes first. */
export async function lockDescendants(tx: TenantTx, roots: readonly DeletedRow[]): Promise<DeletedRow[]> {
  const all: DeletedRow[] = [];
  for (let level = roots; level.length > 0; ) {
    level = await LOCK_CHILDREN.all(tx, { parents: level.map(({ id }) => id) });
    all.unshift(...level);
  }
  return all;
}

/** The due instances, the oldest first, of one environment or of both. */
export function dueInstances(db: TenantReads, { environment, now }: DueScope, limit: number): Promise<DueRow[]> {
  return environment === undefined
    ? IDS.all(db, { now, limit })
    : IDS_OF_ENVIRONMENT.all(db, { now, limit, environment });
}

export async function countDue(
  db: TenantReads,
  { environment, now }: { environment: Environment; now: number },
  cap: number,
): Promise<{ due: number; inReview: number }> {
  const row = await COUNTS.get(db, { now, cap, environment });
  return { due: Number(row?.due ?? 0), inReview: Number(row?.in_review ?? 0) };
}

const NEWEST = query<{
  at: number | null;
}>()(`SELECT max(created_at) AS at FROM process_instances WHERE tenant_id = :tenant_id AND id =
  (SELECT max(id) FROM process_instances WHERE tenant_id = :tenant_id)`);
const LAST_PURGE = 'retention.lastPurge';

/** The latest moment in the data of the tenant: its newest instance or its last purge; 0 if there is neither. */
export async function newestMoment(db: TenantReads): Promise<number> {
  const newest = await NEWEST.get(db, {});
  const last = await findSetting(db, { name: LAST_PURGE });
  return Math.max(newest?.at ?? 0, Number(last?.value ?? 0));
}

export async function setLastPurge(tx: TenantTx, at: number): Promise<void> {
  await putSetting(tx, { name: LAST_PURGE, value: String(at), last_updated_at: at, last_updated_by: 'Retention' });
}
