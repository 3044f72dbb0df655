import type { Writes } from '../db/db.ts';
import { MINUTE, SECOND } from '../kernel/clock.ts';
import type { Finished } from '../leases/worker.ts';
import type { Backoff, JobDefinition } from './define-job.ts';
import { bury, JOB_LEASES, pause, retryLater } from './jobs.repository.ts';
import type { JobRow } from './jobs.table.ts';
import type { Outcome } from './run-job.ts';

/** The pause of a job whose tenant is suspended. */
const PAUSE_MS = MINUTE;
/** The pause of a postponed job. */
const POSTPONE_MS = 2 * SECOND;
const PAUSES_MS: Partial<Record<Outcome['result'], number>> = { paused: PAUSE_MS, postponed: POSTPONE_MS };

export type ClaimedJob = JobRow & { readonly token: string };

export type SettleDeps = {
  definitions: ReadonlyMap<string, JobDefinition<object>>;
  random(): number;
  /** Adds the next job of a schedule after one that has ended. */
  scheduleNext(tx: Writes, job: JobRow): Promise<void>;
};

/**
 * Writes the results of jobs in the transaction of the caller. A job that another server has leased meanwhile is not changed,
 * because that server is responsible for it now. Returns the ids of such jobs.
 */
export async function settle(
  tx: Writes,
  batch: readonly Finished<ClaimedJob, Outcome>[],
  now: number,
  deps: SettleDeps,
): Promise<string[]> {
  const jobsWith = (outcome: Outcome['result']) =>
    batch.flatMap(({ item, result }) => (result.result === outcome ? [item] : []));
  const done = jobsWith('done');
  const stopped = jobsWith('stopped');
  if (done.length === batch.length && !done.some(isScheduled)) {
    const removedJobs = await JOB_LEASES.removeLast(tx, done);
    return done.flatMap((job) => (removedJobs.has(job) ? [] : [job.id]));
  }
  const settledJobs = new Set<ClaimedJob>();
  if (done.length > 0) for (const job of await JOB_LEASES.remove(tx, done)) settledJobs.add(job);
  if (stopped.length > 0) for (const job of await JOB_LEASES.giveBack(tx, stopped)) settledJobs.add(job);
  for (const job of done) if (settledJobs.has(job)) await scheduleNext(tx, job, deps);
  for (const { item, result } of batch) {
    const pauseMs = PAUSES_MS[result.result];
    if (pauseMs !== undefined && (await pause(tx, { id: item.id, token: item.token, at: now + pauseMs })))
      settledJobs.add(item);
    if (result.result === 'failed' && (await settleFailure(tx, item, result, now, deps))) settledJobs.add(item);
  }
  return batch.flatMap(({ item }) => (settledJobs.has(item) ? [] : [item.id]));
}

async function settleFailure(
  tx: Writes,
  job: ClaimedJob,
  { error, retry }: Extract<Outcome, { result: 'failed' }>,
  now: number,
  deps: SettleDeps,
): Promise<boolean> {
  const { id, token, attempts } = job;
  const definition = deps.definitions.get(job.kind);
  if (retry && definition && attempts < job.max_attempts) {
    const at = now + retryDelayMs(definition.backoff, attempts, deps.random());
    return retryLater(tx, { id, token, at, error });
  }
  const isBuried = await bury(tx, { id, token, at: now, error });
  if (isBuried) await scheduleNext(tx, job, deps);
  return isBuried;
}

async function scheduleNext(tx: Writes, job: ClaimedJob, deps: SettleDeps): Promise<void> {
  if (isScheduled(job)) await deps.scheduleNext(tx, job);
}

const isScheduled = ({ unique_key, owner_tenant_id }: ClaimedJob) => unique_key !== null && owner_tenant_id === null;

/**
 * Exponential, with full jitter: jobs that failed together because something was down do not come back together.
 * `random` is from 0 to 1.
 */
export function retryDelayMs({ firstMs, mostMs }: Backoff, failedAttempts: number, random: number): number {
  const longest = Math.min(mostMs, firstMs * 2 ** (failedAttempts - 1));
  // Never at once, because the cause of the failure still exists.
  return Math.max(1, Math.round(longest * random));
}
