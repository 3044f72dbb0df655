import type { Reads, Writes } from '../db/db.ts';
import { BY_INDEX, SKIP_LOCKED } from '../db/sql/dialect.ts';
import { prepare, query, statement } from '../db/sql/statement.ts';
import { DAY, MOST_APART_MS } from '../kernel/clock.ts';
import { type Lease, leaseTable } from '../leases/lease-table.ts';
import { MAX_BATCH } from '../leases/results.ts';
import { CLAIM_COLUMNS, type JobRow, jobs, type NewJobRow } from './jobs.table.ts';

/**
 * A claim counts as an attempt. Jobs that are not due are not searched for lost leases. An index of leases would make each
 * claim half as expensive again, because PostgreSQL could no longer change a row within its page.
 */
export const JOB_LEASES = leaseTable(
  jobs.name,
  ', attempts = attempts - 1',
  "state = 'READY' AND run_at <= :claimedUntil",
);

// ON CONFLICT has no target: with one it would read the table, which a tenant's connection may not.
const ADD = jobs.insert('ON CONFLICT DO NOTHING');
// A release with a shorter schedule need not wait for the run that the longer one had planned.
const ADD_OR_BRING_FORWARD = jobs.insert(`ON CONFLICT (kind, unique_key) WHERE unique_key IS NOT NULL
  DO UPDATE SET run_at = excluded.run_at WHERE jobs.run_at > excluded.run_at AND jobs.attempts = 0`);
const NEW = { state: 'READY', attempts: 0, lease_until: 0, lease_token: null, last_error: null } as const;

/** Resolves to false if a job with the same unique key exists. */
export async function addJob(tx: Writes, row: NewJobRow): Promise<boolean> {
  const job = { ...NEW, ...row };
  if (row.unique_key !== null) return ADD.changes(tx, job);
  ADD.send(tx, job);
  return true;
}

export type ScheduledJob = Pick<JobRow, 'kind' | 'unique_key' | 'run_at' | 'attempts'>;

/** The stored jobs of the installation's schedules, which are of these kinds. */
export function scheduledJobsOf(kinds: readonly string[]): (db: Reads) => Promise<ScheduledJob[]> {
  if (kinds.length === 0) return async () => [];
  const list = prepare<object, ScheduledJob>(`SELECT kind, unique_key, run_at, attempts FROM jobs
    WHERE unique_key IS NOT NULL AND owner_tenant_id IS NULL AND kind IN (${quotedList(kinds)}) LIMIT ${MAX_SCHEDULED}`);
  return (db) => list.all(db, {});
}

const MAX_SCHEDULED = 1000;

/** Whether `addScheduledJob` would not change the stored job. */
export function isSoonEnough(stored: ScheduledJob | undefined, { run_at }: NewJobRow): boolean {
  return stored !== undefined && (stored.run_at <= run_at || stored.attempts > 0);
}

export async function addScheduledJob(tx: Writes, row: NewJobRow): Promise<void> {
  await ADD_OR_BRING_FORWARD.run(tx, { ...NEW, ...row });
}

export type Claims = {
  /**
   * Claims the jobs that have been due longest, and counts an attempt of each. If more are due than the caller may claim,
   * owners take turns in the order of `turnsOf`.
   */
  claim(tx: Writes, now: number, lease: Lease, share: Share): Promise<JobRow[]>;
  /** The owners of due jobs. */
  dueOwners(db: Reads, now: number): Promise<string[]>;
};

/** `limit` is for all owners together. `isFew` means that no more jobs were due, so owners need not take turns. */
export type Share = {
  readonly limit: number;
  readonly isFew: boolean;
  turnsOf(owners: readonly string[]): readonly string[];
};

/** The owner of a job, for turns: the id of the tenant, or the empty string for the installation. */
export const ownerOf = ({ owner_tenant_id }: Pick<JobRow, 'owner_tenant_id'>): string => owner_tenant_id ?? '';
const OWNER = "coalesce(owner_tenant_id, '')";
/** The most owners that one query lists. */
const MAX_OWNERS = 10_000;

const CHOOSE_INDEX = statement(BY_INDEX);

type Now = { now: number };

// `defineJob` lets no quote into a kind.
const quotedList = (kinds: readonly string[]) => kinds.map((kind) => `'${kind}'`).join(', ');
const isDue = (kinds: readonly string[]) => `state = 'READY' AND run_at <= :now AND lease_until <= :now
    AND kind IN (${quotedList(kinds)})`;

/** The number of due jobs that are read before a claim: no claim is larger. */
const LOOKED_AT = MAX_BATCH;

/** If more jobs are due than were read, `kinds` lists all kinds. */
export type DueJobs = { readonly kinds: readonly string[]; readonly count: number };

/** Finds which of these kinds have due jobs. Usually none has, so this is one cheap read. */
export function dueJobsOf(kinds: readonly string[]): (db: Reads, now: number) => Promise<DueJobs> {
  if (kinds.length === 0) return async () => ({ kinds: [], count: 0 });
  const look = prepare<Now, { kind: string }>(
    `SELECT kind FROM jobs WHERE ${isDue(kinds)} ORDER BY run_at LIMIT ${LOOKED_AT}`,
  );
  return async (db, now) => {
    const rows = await look.all(db, { now });
    return { kinds: rows.length === LOOKED_AT ? kinds : rows.map(({ kind }) => kind), count: rows.length };
  };
}

/** The claims for the kinds that this process can run. */
export function claimsOf(kinds: readonly string[]): Claims {
  const due = isDue(kinds);
  // MATERIALIZED: PostgreSQL would otherwise run the subquery again for every row that it joins.
  const claimWhere = <P>(condition: string) =>
    prepare<Now & Lease & { most: number } & P, JobRow>(
      `WITH due AS MATERIALIZED (
        SELECT id FROM jobs WHERE ${due}${condition} ORDER BY run_at LIMIT :most ${SKIP_LOCKED})
      UPDATE jobs SET lease_token = :token, lease_until = :until, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
      RETURNING ${CLAIM_COLUMNS.join(', ')}`,
      CLAIM_COLUMNS,
    );
  const claimAny = claimWhere('');
  const claimOf = claimWhere<{ owner: string }>(` AND ${OWNER} = :owner`);
  // Steps from owner to owner by the index, however many jobs each has.
  const owners = prepare<Now, { owner: string }>(`WITH RECURSIVE turns (owner) AS (
      SELECT min(${OWNER}) FROM jobs WHERE state = 'READY'
      UNION ALL
      SELECT (SELECT min(${OWNER}) FROM jobs WHERE state = 'READY' AND ${OWNER} > turns.owner) FROM turns
        WHERE turns.owner IS NOT NULL)
    SELECT owner FROM turns WHERE owner IS NOT NULL AND EXISTS (SELECT 1 FROM jobs WHERE ${OWNER} = owner AND ${due})
    LIMIT ${MAX_OWNERS}`);
  const dueOwners = async (db: Reads, now: number) => (await owners.all(db, { now })).map(({ owner }) => owner);
  return {
    dueOwners,
    async claim(tx, now, lease, { limit, isFew, turnsOf }) {
      CHOOSE_INDEX.send(tx, {});
      const turns = isFew ? [] : turnsOf(await dueOwners(tx, now));
      const rows = isFew ? await claimAny.last(tx, { now, most: limit, ...lease }) : [];
      const each = Math.ceil(limit / Math.max(1, turns.length));
      for (const owner of turns) {
        const most = Math.min(each, limit - rows.length);
        if (most > 0) rows.push(...(await claimOf.all(tx, { now, most, owner, ...lease })));
      }
      // The database returns rows in the order in which it changed them.
      return rows.sort((one, other) => one.run_at - other.run_at || (one.id < other.id ? -1 : 1));
    },
  };
}

/** No schedule and no backoff delays a job for longer. */
const LONGEST_DELAY_MS = 2 * DAY;
const BRING_FORWARD = statement(`UPDATE jobs SET run_at = :now WHERE state = 'READY' AND run_at > :now
  AND ((attempts = 0 AND created_at > :now + ${MOST_APART_MS}) OR run_at > :now + ${LONGEST_DELAY_MS})`);

/** Brings forward the jobs that were added or postponed while the clock was ahead. */
export async function bringJobsForward(tx: Writes, now: number, leaseMs: number): Promise<void> {
  await BRING_FORWARD.run(tx, { now });
  await JOB_LEASES.freeAll(tx, now + leaseMs + MOST_APART_MS);
}

const UNDER_LEASE = 'WHERE id = :id AND lease_token = :token';

export type Failure = { id: string; token: string; at: number; error: string };

/** Resolves to false if another server had the job by then. */
export const retryLater = query<Failure>()(
  `UPDATE jobs SET run_at = :at, last_error = :error, lease_token = NULL, lease_until = 0 ${UNDER_LEASE}`,
).changes;

/** Undoes the claim; the job runs at `at` or later. */
export const pause = query<Failure>()(
  `UPDATE jobs SET run_at = :at, attempts = attempts - 1, lease_token = NULL, lease_until = 0 ${UNDER_LEASE}`,
).changes;

// A dead job loses its key, so that it does not block the next job of its schedule.
export const bury =
  query<Failure>()(`UPDATE jobs SET state = 'DEAD', run_at = :at, last_error = :error, unique_key = NULL,
  lease_token = NULL, lease_until = 0 ${UNDER_LEASE}`).changes;
