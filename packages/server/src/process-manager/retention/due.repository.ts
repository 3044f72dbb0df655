import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';

/**
 * Instances whose retention is over. One that has not ended waits for its deadline, which is never far; one in review has
 * none, and goes. See docs/decisions/2026-11-15-what-retention-removes.md.
 */
const DUE = 'tenant_id = $1 AND expiring_at <= $2 AND (deadline_at IS NULL OR deadline_at <= $2)';

export type DuePlace = { environment?: Environment | undefined; now: number };
type OfDue = { id: string; created_at: number; expiring_at: number };

const IDS = sql(`SELECT id, created_at, expiring_at FROM process_instances WHERE ${DUE}
  ORDER BY expiring_at, id LIMIT $3 + 0`);
const IDS_OF_ENVIRONMENT = sql(`SELECT id, created_at, expiring_at FROM process_instances
  WHERE ${DUE} AND environment = $4 ORDER BY expiring_at, id LIMIT $3 + 0`);
const COUNTS = sql(`SELECT count(*) AS due, coalesce(sum(CASE WHEN status = 'REVIEW' THEN 1 ELSE 0 END), 0) AS in_review
  FROM (SELECT status FROM process_instances WHERE ${DUE} AND environment = $4 LIMIT $3 + 0) AS counted`);

/** The oldest first, by the index on expiring_at. Of both environments unless one is named. */
export function dueInstances(db: TenantReads, { environment, now }: DuePlace, limit: number): Promise<OfDue[]> {
  return environment === undefined
    ? db.all<OfDue>(IDS, [db.tenantId, now, limit])
    : db.all<OfDue>(IDS_OF_ENVIRONMENT, [db.tenantId, now, limit, environment]);
}

export async function countDue(
  db: TenantReads,
  { environment, now }: { environment: Environment; now: number },
  cap: number,
): Promise<{ due: number; inReview: number }> {
  const found = await db.get<{ due: number; in_review: number }>(COUNTS, [db.tenantId, now, cap, environment]);
  return { due: Number(found?.due ?? 0), inReview: Number(found?.in_review ?? 0) };
}

const NEWEST = sql(`SELECT max(created_at) AS at FROM process_instances WHERE tenant_id = $1 AND id =
  (SELECT max(id) FROM process_instances WHERE tenant_id = $1)`);
const LAST_PURGE = sql('SELECT value AS at FROM tenant_settings WHERE tenant_id = $1 AND name = $2');
const SET_LAST_PURGE = sql(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, name)
  DO UPDATE SET value = excluded.value, last_updated_at = excluded.last_updated_at`);
const LAST_PURGE_NAME = 'retention.lastPurge';

/** The last moment that anything of the tenant knows of; 0 if there is none. */
export async function newestMoment(db: TenantReads): Promise<number> {
  const newest = await db.get<{ at: number | null }>(NEWEST, [db.tenantId]);
  const last = await db.get<{ at: string }>(LAST_PURGE, [db.tenantId, LAST_PURGE_NAME]);
  return Math.max(newest?.at ?? 0, Number(last?.at ?? 0));
}

export async function setLastPurge(tx: TenantTx, at: number): Promise<void> {
  await tx.run(SET_LAST_PURGE, [tx.tenantId, LAST_PURGE_NAME, String(at), at, 'Retention']);
}

export const ANY_OF_TOKEN = sql(
  'SELECT 1 AS found FROM process_instances WHERE tenant_id = $1 AND token_id = $2 LIMIT 1',
);
export async function hasInstances(db: TenantReads, tokenId: string): Promise<boolean> {
  return (await db.get(ANY_OF_TOKEN, [db.tenantId, tokenId])) !== undefined;
}
