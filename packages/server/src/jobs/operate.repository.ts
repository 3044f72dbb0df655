import { type Reads, sql, type Value, type Writes } from '../db/db.ts';

/** What an operator may ask of the queue and do to it; every answer is bounded. */
export type JobState = 'READY' | 'DEAD';
export type JobCount = { kind: string; state: JobState; count: number; oldest_run_at: number };
export type DeadJobRow = {
  id: string;
  owner_tenant_id: string | null;
  kind: string;
  attempts: number;
  last_error: string | null;
  created_at: number;
  /** When it was given up. */
  run_at: number;
};

/** A queue that is longer is counted up to here: counting must not become the load. */
export const MAX_COUNTED = 100_000;
export const MAX_DEAD_LISTED = 1000;
export const MAX_RETRIED = 1000;
const MAX_KINDS = 1000;

const COUNTS = sql(`SELECT kind, state, count(*) AS count, min(run_at) AS oldest_run_at FROM (
    SELECT * FROM (SELECT kind, state, run_at FROM jobs WHERE state = 'READY' ORDER BY run_at LIMIT ${MAX_COUNTED}) r
    UNION ALL SELECT * FROM (SELECT kind, state, run_at FROM jobs WHERE state = 'DEAD' LIMIT ${MAX_COUNTED}) d
  ) counted GROUP BY kind, state ORDER BY kind, state LIMIT ${MAX_KINDS}`);
const DEAD = `SELECT id, owner_tenant_id, kind, attempts, last_error, created_at, run_at FROM jobs
  WHERE state = 'DEAD'`;
const DEAD_OF_ALL = sql(`${DEAD} ORDER BY id DESC LIMIT $1`);
const DEAD_OF_KIND = sql(`${DEAD} AND kind = $2 ORDER BY id DESC LIMIT $1`);
const REVIVED = `UPDATE jobs SET state = 'READY', attempts = 0, run_at = $1`;
const REVIVE_ONE = sql(`${REVIVED} WHERE id = $2 AND state = 'DEAD'`);
const REVIVE_KIND = sql(`${REVIVED} WHERE state = 'DEAD'
  AND id IN (SELECT id FROM jobs WHERE state = 'DEAD' AND kind = $2 ORDER BY id LIMIT ${MAX_RETRIED})`);

export function countJobs(db: Reads): Promise<JobCount[]> {
  return db.all<JobCount>(COUNTS, []);
}

/** The newest first. */
export function listDeadJobs(db: Reads, limit: number, kind?: string): Promise<DeadJobRow[]> {
  const values: Value[] = [Math.min(limit, MAX_DEAD_LISTED)];
  return kind === undefined ? db.all(DEAD_OF_ALL, values) : db.all(DEAD_OF_KIND, [...values, kind]);
}

export async function reviveDeadJob(tx: Writes, id: string, now: number): Promise<boolean> {
  return (await tx.run(REVIVE_ONE, [now, id])) === 1;
}

/** How many; there may be more. */
export function reviveDeadJobs(tx: Writes, kind: string, now: number): Promise<number> {
  return tx.run(REVIVE_KIND, [now, kind]);
}
