import { sql, type TenantReads, unprepared, type Value } from '../../db/db.ts';
import type { Paging } from '../../kernel/pages.ts';
import { openRow, openRows } from '../instances/instance-seal.ts';

export type ReviewRow = {
  id: string;
  definition_id: string;
  process_defn_name: string;
  process_defn_version: number;
  environment: 'live' | 'test';
  first_name: string | null;
  last_name: string | null;
  sealed: Uint8Array | null;
  reviewer: string | null;
  claimed_until: number | null;
  /** JSON of the flow. */
  state: string;
};

const COLUMNS = `i.id, i.definition_id, i.process_defn_name, i.process_defn_version, i.environment, i.first_name,
  i.last_name, i.sealed, i.reviewer, i.claimed_until, j.state`;
const FROM = `FROM process_instances i JOIN journeys j ON j.tenant_id = i.tenant_id AND j.instance_id = i.id
  WHERE i.tenant_id = $1 AND i.environment = $2 AND i.status = 'REVIEW'`;

const ONE = sql(`SELECT ${COLUMNS} ${FROM} AND i.id = $3`);

export type ReviewFilter = {
  environment: 'live' | 'test';
  assigned: 'ALL' | 'CLAIMED' | 'UNCLAIMED';
  reviewer: string | undefined;
  now: number;
};

export const SORTABLE = { id: 'id', waitingSinceDtm: 'last_updated_at', createdAt: 'id' } as const;

export async function findReview(db: TenantReads, environment: string, id: string): Promise<ReviewRow | undefined> {
  const row = await db.get<ReviewRow>(ONE, [db.tenantId, environment, id]);
  return row && openRow(db, row);
}

/** What waits is few against all there is, so it is counted each time. */
export async function pageReviews(
  db: TenantReads,
  filter: ReviewFilter,
  { size, offset, orderBy }: Paging,
): Promise<{ rows: ReviewRow[]; total: number }> {
  const values: Value[] = [db.tenantId, filter.environment];
  const add = (value: Value) => `$${values.push(value)}`;
  let where = '';
  if (filter.assigned === 'CLAIMED') where += ` AND i.claimed_until > ${add(filter.now)}`;
  if (filter.assigned === 'UNCLAIMED')
    where += ` AND (i.claimed_until IS NULL OR i.claimed_until <= ${add(filter.now)})`;
  if (filter.reviewer) where += ` AND i.reviewer = ${add(filter.reviewer)} AND i.claimed_until > ${add(filter.now)}`;
  const counted = await db.get<{ total: number }>(unprepared(`SELECT count(*) AS total ${FROM}${where}`), values);
  const order = orderBy.replaceAll(/\b(id|last_updated_at)\b/g, 'i.$1');
  const limits = `LIMIT ${add(size)} + 0 OFFSET ${add(offset)} + 0`;
  const rows = await db.all<ReviewRow>(
    unprepared(`SELECT ${COLUMNS} ${FROM}${where} ORDER BY ${order} ${limits}`),
    values,
  );
  return { rows: await openRows(db, rows), total: counted?.total ?? 0 };
}

const WAITING = sql(`SELECT environment, count(*) AS count, min(last_updated_at) AS oldest FROM process_instances
  WHERE tenant_id = $1 AND environment IN ('live', 'test') AND status = 'REVIEW' GROUP BY environment`);

export type ReviewsWaiting = { environment: string; count: number; oldest: number };

/** How many wait in each environment, and since when the first of them does. */
export function reviewsWaiting(db: TenantReads): Promise<ReviewsWaiting[]> {
  return db.all<ReviewsWaiting>(WAITING, [db.tenantId]);
}
