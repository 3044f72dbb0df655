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

/** For the operator of the installation, who sees the jobs of all tenants: ids, counts and reasons, no payloads. */
export type JobOperations = {
  /** By kind and state; 100,000 of a state are counted at most. */
  counts(): Promise<(JobCount & { oldestAgeMs: number })[]>;
  listDead(options?: { kind?: string; limit?: number }): Promise<DeadJobRow[]>;
  /** False if there is no dead job of this id. */
  retryDead(id: string): Promise<boolean>;
  /** A thousand at a time: how many, until it is none. */
  retryAllDead(kind: string): Promise<number>;
  /** For Prometheus. */
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
