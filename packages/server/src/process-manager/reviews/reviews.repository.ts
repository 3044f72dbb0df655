import type { TenantReads } from '../../db/db.ts';
import { byLanguage, inList } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { rowsInOrder } from '../../kernel/in-slices.ts';
import type { Paging } from '../../kernel/pages.ts';
import { scanRows, visitRows } from '../../kernel/scan-rows.ts';
import { lineOf } from '../../kernel/take-turns.ts';
import { instances } from '../instances/instance-row.ts';
import { openRow, openRows } from '../instances/instance-seal.ts';
import { totalsOf } from '../instances/instance-totals.ts';
import { isClaimed } from './claims.ts';

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

const WAITING = `WHERE tenant_id = :tenant_id AND environment = :environment AND status = 'REVIEW'` as const;
const IDS = instances.list(['id'], WAITING);
const SCAN = instances.select(
  ['id', 'process_defn_name', 'reviewer', 'claimed_until', 'review_priority', 'last_updated_at'],
  `${WAITING} AND id > :after ORDER BY id LIMIT :limit + 0`,
);
const AMONG = query<ReviewRow>()(`SELECT ${COLUMNS} ${FROM} AND i.id ${inList(':ids')}`);

type WaitingRow = Pick<ReviewRow, 'id' | 'process_defn_name' | 'reviewer' | 'claimed_until' | 'last_updated_at'>;

/** A page of waiting reviews. There may be very many, so they are read a few at a time if no index has the list. */
export async function pageReviews(
  db: TenantReads,
  filter: ReviewFilter,
  paging: Paging,
): Promise<{ rows: ReviewRow[]; total: number }> {
  const { environment } = filter;
  const matches = matcherOf(filter);
  const scan = { batch: waitingAfter(db, environment), matches: matches ?? (() => true) };
  const { ids, total } =
    !matches && /^(id |review_priority DESC, last_updated_at ASC, id ASC$)/.test(paging.orderBy)
      ? await pageOfAll(db, environment, paging)
      : await scanRows(lineOf(db.tenantId, environment), scan, paging);
  const rows = await rowsInOrder(db, ids, (some) => AMONG.all(db, { environment, ids: some }));
  return { rows: await openRows(db, rows), total };
}

const waitingAfter = (db: TenantReads, environment: Environment) => (after: string, limit: number) =>
  SCAN.all(db, { environment, after, limit });

async function pageOfAll(db: TenantReads, environment: Environment, paging: Paging) {
  const ids = (await IDS.page(db, { environment }, paging)).map(({ id }) => id);
  return { ids, total: await countWaiting(db, environment) };
}

async function countWaiting(db: TenantReads, environment: Environment): Promise<number> {
  const totals = await totalsOf(db, environment);
  return totals.reduce((sum, { status, total }) => sum + (status === 'REVIEW' ? total : 0), 0);
}

/** Whether a review matches the filter. Undefined if every one does. */
function matcherOf({ assigned, reviewer, definitionName, definitionNames, waitingSince, now }: ReviewFilter) {
  const tests: ((row: WaitingRow) => boolean)[] = [];
  if (assigned !== 'ALL') tests.push((row) => isClaimed(row, now) === (assigned === 'CLAIMED'));
  if (reviewer) tests.push((row) => row.reviewer === reviewer && isClaimed(row, now));
  if (definitionName !== undefined) tests.push((row) => row.process_defn_name === definitionName);
  if (definitionNames) tests.push((row) => definitionNames.includes(row.process_defn_name));
  if (waitingSince !== undefined) tests.push((row) => row.last_updated_at <= waitingSince);
  return tests.length === 0 ? undefined : (row: WaitingRow) => tests.every((test) => test(row));
}

export type WaitingCount = { count: number; oldest: number };

/** The number of waiting reviews of each definition, and since when the oldest waits. */
export async function waitingByDefinition(db: TenantReads, environment: Environment) {
  const waiting = new Map<string, WaitingCount>();
  const add = ({ process_defn_name: name, last_updated_at: at }: WaitingRow) => {
    const { count, oldest } = waiting.get(name) ?? { count: 0, oldest: at };
    waiting.set(name, { count: count + 1, oldest: Math.min(oldest, at) });
  };
  await visitRows(lineOf(db.tenantId, environment), waitingAfter(db, environment), add);
  return waiting;
}

const PRIORITIES = [0, 1, 2] as const;
const OLDEST = query<{ oldest: number }>()(`SELECT last_updated_at AS oldest FROM process_instances
  ${WAITING} AND review_priority = :priority ORDER BY last_updated_at LIMIT 1`);

/** The number of waiting reviews in each environment, and since when the oldest waits. Reads a few entries of an index. */
export async function reviewsWaiting(db: TenantReads): Promise<(WaitingCount & { environment: Environment })[]> {
  const all = (['live', 'test'] as const).map(async (environment) => {
    const count = await countWaiting(db, environment);
    const rows = await Promise.all(PRIORITIES.map((priority) => OLDEST.get(db, { environment, priority })));
    const times = rows.flatMap((row) => (row ? [row.oldest] : []));
    return times.length === 0 ? [] : [{ environment, count, oldest: Math.min(...times) }];
  });
  return (await Promise.all(all)).flat();
}
