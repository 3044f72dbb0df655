import { type Db, sql, type TenantTx } from '../src/db/db.ts';
import { defineJob, type JobContext, type JobDefinition } from '../src/jobs/define-job.ts';
import type { JobsOptions } from '../src/jobs/job-queue.ts';
import { type Jobs, openJobs } from '../src/jobs/jobs.ts';
import type { TenantId } from '../src/kernel/ids.ts';
import type { TestClock } from './harness.ts';

/** A queue on a real database, and a read of its table that only tests may use. */
export type NamedPayload = { name: string };
export type TestJobs = Jobs & { logged: string[] };

export function openTestJobs(db: Db, clock: TestClock, options: Partial<JobsOptions> = {}): TestJobs {
  const logged: string[] = [];
  const note = (_details: object, text: string) => void logged.push(text);
  const log = { info: note, warn: note, error: note };
  // Without jitter, the wait is always the longest.
  return { ...openJobs({ db, clock, log, random: () => 1, ...options }), logged };
}

type Run = (payload: NamedPayload, context: JobContext) => Promise<void>;

export function namedJob(run: Run, options: Partial<JobDefinition<NamedPayload>> = {}): JobDefinition<NamedPayload> {
  const backoff = { firstMs: 1000, mostMs: 5000 };
  return defineJob({
    kind: 'test.named',
    does: 'runs what a test says',
    maxAttempts: 3,
    backoff,
    timeoutMs: 60_000,
    run,
    ...options,
  });
}

export async function enqueueByName(
  { jobs, db, tenantId }: { jobs: Jobs; db: Db; tenantId: TenantId },
  definition: JobDefinition<NamedPayload>,
  ...names: string[]
): Promise<void> {
  await db.of(tenantId).write(async (tx: TenantTx) => {
    for (const name of names) await jobs.enqueue(tx, definition, { name });
  });
}

export type StoredJob = {
  id: string;
  owner_tenant_id: string | null;
  kind: string;
  payload: string;
  state: string;
  run_at: number;
  attempts: number;
  lease_until: number;
  last_error: string | null;
};

const STORED =
  sql(`SELECT id, owner_tenant_id, kind, payload, state, run_at, attempts, lease_until, last_error FROM jobs
  ORDER BY id`);

export function storedJobs(db: Db): Promise<StoredJob[]> {
  return db.system.all<StoredJob>(STORED, []);
}

/** A promise that a test resolves when it wants. */
export function gate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
