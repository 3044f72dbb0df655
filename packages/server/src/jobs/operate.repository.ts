import type { Reads } from '../db/db.ts';
import { LIMIT } from '../db/sql/dialect.ts';
import { query, statement } from '../db/sql/statement.ts';
import type { RowOf } from '../db/sql/table.ts';
import { type JobState, jobs } from './jobs.table.ts';

/** The questions and actions of an operator about the queue. Every answer is limited. */
export type JobCount = { kind: string; state: JobState; count: number; oldest_run_at: number };
/** The `run_at` of a dead job is the time when it was given up. */
const DEAD = ['id', 'owner_tenant_id', 'kind', 'attempts', 'last_error', 'created_at', 'run_at'] as const;
export type DeadJobRow = Pick<RowOf<typeof jobs>, (typeof DEAD)[number]>;

/** Longer queues are counted up to this number, so that counting does not become the load. */
export const MAX_COUNTED = 100_000;
export const MAX_DEAD_LISTED = 1000;
export const MAX_RETRIED = 1000;
const MAX_KINDS = 1000;

const DEAD_OF_ALL = jobs.select(DEAD, `WHERE state = 'DEAD' ORDER BY id DESC ${LIMIT}`);
const DEAD_OF_KIND = jobs.select(DEAD, `WHERE state = 'DEAD' AND kind = :kind ORDER BY id DESC ${LIMIT}`);
const REVIVE = "UPDATE jobs SET state = 'READY', attempts = 0, run_at = :now";

export const countJobs = query<JobCount>()(`SELECT kind, state, count(*) AS count, min(run_at) AS oldest_run_at FROM (
    SELECT * FROM (SELECT kind, state, run_at FROM jobs WHERE state = 'READY' ORDER BY run_at LIMIT ${MAX_COUNTED}) r
    UNION ALL SELECT * FROM (SELECT kind, state, run_at FROM jobs WHERE state = 'DEAD' LIMIT ${MAX_COUNTED}) d
  ) counted GROUP BY kind, state ORDER BY kind, state LIMIT ${MAX_KINDS}`).all;

/** The dead jobs, the newest first. */
export function listDeadJobs(db: Reads, most: number, kind?: string): Promise<DeadJobRow[]> {
  const limit = Math.min(most, MAX_DEAD_LISTED);
  return kind === undefined ? DEAD_OF_ALL.all(db, { limit }) : DEAD_OF_KIND.all(db, { limit, kind });
}

export const reviveDeadJob = statement(`${REVIVE} WHERE id = :id AND state = 'DEAD'`).changes;

/** Resolves to the number of revived jobs; there may be more. */
export const reviveDeadJobs = statement(`${REVIVE} WHERE state = 'DEAD'
  AND id IN (SELECT id FROM jobs WHERE state = 'DEAD' AND kind = :kind ORDER BY id LIMIT ${MAX_RETRIED})`).run;
