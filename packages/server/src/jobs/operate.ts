import type { Db } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import {
  countJobs,
  type DeadJobRow,
  type JobCount,
  listDeadJobs,
  reviveDeadJob,
  reviveDeadJobs,
} from './operate.repository.ts';

/** The view of the operator of the installation on the jobs of all tenants: ids, counts and reasons, no payloads. */
export type JobOperations = {
  /** Counts by kind and state, up to 100,000 jobs of a state. */
  counts(): Promise<(JobCount & { oldestAgeMs: number })[]>;
  listDead(options?: { kind?: string; limit?: number }): Promise<DeadJobRow[]>;
  /** Resolves to false if there is no dead job with this id. */
  retryDead(id: string): Promise<boolean>;
  /** Retries up to a thousand jobs. Resolves to their number; call it until that is 0. */
  retryAllDead(kind: string): Promise<number>;
  /** The metrics for Prometheus. */
  metrics(): Promise<string>;
};

const DEAD_LISTED = 100;

export function operations(db: Db, clock: Clock, onReady: () => void): JobOperations {
  const counts = async () => {
    const now = clock.now();
    const rows = await countJobs(db.system);
    return rows.map((row) => ({ ...row, oldestAgeMs: Math.max(0, now - row.oldest_run_at) }));
  };
  return {
    counts,
    listDead: ({ kind, limit = DEAD_LISTED } = {}) => listDeadJobs(db.system, limit, kind),
    async retryDead(id) {
      const revived = await db.system.write((tx) => reviveDeadJob(tx, { now: clock.now(), id }));
      if (revived) onReady();
      return revived;
    },
    async retryAllDead(kind) {
      const revived = await db.system.write((tx) => reviveDeadJobs(tx, { now: clock.now(), kind }));
      if (revived > 0) onReady();
      return revived;
    },
    metrics: async () => metricsOf(await counts()),
  };
}

type Counts = Awaited<ReturnType<JobOperations['counts']>>;

function metricsOf(counts: Counts): string {
  const line = (name: string, { kind, state }: Counts[number], value: number) =>
    `${name}{kind=${JSON.stringify(kind)},state="${state}"} ${value}`;
  return [
    '# HELP grove_jobs Jobs in the queue, by kind and state',
    '# TYPE grove_jobs gauge',
    ...counts.map((each) => line('grove_jobs', each, each.count)),
    '# HELP grove_jobs_oldest_age_seconds How long the oldest of them has been due, or dead',
    '# TYPE grove_jobs_oldest_age_seconds gauge',
    ...counts.map((each) => line('grove_jobs_oldest_age_seconds', each, each.oldestAgeMs / 1000)),
    '',
  ].join('\n');
}
