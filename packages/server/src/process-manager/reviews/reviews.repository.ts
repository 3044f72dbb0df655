import type { TenantReads } from '../../db/db.ts';
import { byLanguage, inList } from '../../db/sql/dialect.ts';
import { listOf } from '../../db/sql/list.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';
import { openRow, openRows } from '../instances/instance-seal.ts';
import { claimedSql } from './claims.ts';

export type ReviewRow = {
  id: string;
  definition_id: string;
  process_defn_name: string;
  process_defn_version: number;
  environment: Environment;
  first_name: string | null;
  last_name: string | null;
  sealed: Uint8Array | null;
  reviewer: string | null;
  claimed_until: number | null;
  review_priority: number;
  last_updated_at: number;
  /** JSON of the flow. */
  state: string;
};

const COLUMNS = `i.id, i.definition_id, i.process_defn_name, i.process_defn_version, i.environment, i.first_name,
  i.last_name, i.sealed, i.reviewer, i.claimed_until, i.review_priority,
  i.last_updated_at, j.state`;
const JOINED = `FROM process_instances i
  JOIN journeys j ON j.tenant_id = i.tenant_id AND j.instance_id = ${byLanguage('i.id')}` as const;
const FROM = `${JOINED}
  WHERE i.tenant_id = :tenant_id AND i.environment = :environment AND i.status = 'REVIEW'` as const;

const ONE = query<ReviewRow>()(`SELECT ${COLUMNS} ${FROM} AND i.id = :id`);

export type ReviewFilter = {
  environment: Environment;
  assigned: 'ALL' | 'CLAIMED' | 'UNCLAIMED';
  reviewer: string | undefined;
  definitionName: string | undefined;
  /** Only reviews of these definitions. */
  definitionNames: readonly string[] | undefined;
  /** Only reviews that have waited since this moment or longer. */
  waitingSince: number | undefined;
  now: number;
};

export const SORTABLE = {
  id: 'id',
  waitingSinceDtm: 'last_updated_at',
  createdAt: 'id',
  priority: 'review_priority',
} as const;

export async function findReview(
  db: TenantReads,
  environment: Environment,
  id: string,
): Promise<ReviewRow | undefined> {
  const row = await ONE.get(db, { environment, id });
  return row && openRow(db, row);
}

const LIST = listOf<ReviewRow>()(COLUMNS, FROM, {
  byId: { from: `${JOINED} WHERE i.tenant_id = :tenant_id`, id: 'i.id' },
  filters: {
    claimedAt: `AND ${claimedSql('i.claimed_until', 'claimedAt')}`,
    unclaimedAt: `AND NOT ${claimedSql('i.claimed_until', 'unclaimedAt')}`,
    definitionName: 'AND i.process_defn_name = :definitionName',
    definitionNames: `AND i.process_defn_name ${inList(':definitionNames')}`,
    waitingSince: 'AND i.last_updated_at <= :waitingSince',
    reviewer: `AND i.reviewer = :reviewer AND ${claimedSql('i.claimed_until', 'now')}`,
  },
});

/** A page of waiting reviews. There are few of them, so they are counted each time. */
export async function pageReviews(
  db: TenantReads,
  { environment, assigned, reviewer, definitionName, definitionNames, waitingSince, now }: ReviewFilter,
  paging: Paging,
): Promise<{ rows: ReviewRow[]; total: number }> {
  const claimedAt = assigned === 'CLAIMED' ? now : undefined;
  const unclaimedAt = assigned === 'UNCLAIMED' ? now : undefined;
  const filter = {
    environment,
    claimedAt,
    unclaimedAt,
    reviewer: reviewer || undefined,
    definitionName,
    definitionNames,
    waitingSince,
    now,
  };
  const orderBy = paging.orderBy.replaceAll(/\b(id|last_updated_at|review_priority)\b/g, 'i.$1');
  const { rows, total } = await LIST(db, filter, { ...paging, orderBy });
  return { rows: await openRows(db, rows), total };
}

export type ReviewsWaiting = { environment: Environment; count: number; oldest: number };

type WaitingOf = { name: string; count: number; oldest: number };

/** The number of waiting reviews of each definition, and since when the oldest waits. */
export const waitingByDefinition =
  query<WaitingOf>()(`SELECT process_defn_name AS name, count(*) AS count, min(last_updated_at) AS oldest
  FROM process_instances WHERE tenant_id = :tenant_id AND environment = :environment AND status = 'REVIEW'
  GROUP BY process_defn_name`).all;

/** The number of waiting reviews in each environment, and since when the oldest waits. */
export const reviewsWaiting =
  query<ReviewsWaiting>()(`SELECT environment, count(*) AS count, min(last_updated_at) AS oldest FROM process_instances
  WHERE tenant_id = :tenant_id AND environment IN ('live', 'test') AND status = 'REVIEW' GROUP BY environment`).all;
