import type { Writes } from '../db/db.ts';
import type { JobDefinition } from './define-job.ts';
import { bury, giveBack, type JobRow, removeDone, retryLater } from './jobs.repository.ts';
import { retryDelayMs } from './retry-delay.ts';
import type { Outcome } from './run-job.ts';

export type Claimed = JobRow & { readonly token: string };
export type Finished = { job: Claimed; outcome: Outcome };

export type SettleDeps = {
  definitions: ReadonlyMap<string, JobDefinition<never>>;
  random(): number;
  /** Puts the next job of a schedule in the place of one that has ended. */
  scheduleNext(tx: Writes, ended: JobRow): Promise<void>;
};

/**
 * Writes down how jobs ended, in the transaction of the caller. A job that was leased to somebody else meanwhile is left
 * alone, because that one answers for it now. Returns the ids of such jobs.
 */
export async function settle(tx: Writes, batch: readonly Finished[], now: number, deps: SettleDeps): Promise<string[]> {
  const refused: string[] = [];
  for (const [result, change] of [
    ['done', removeDone],
    ['stopped', giveBack],
  ] as const) {
    for (const [token, jobs] of byToken(batch, result)) {
      const ids = jobs.map(({ id }) => id);
      const changed = await change(tx, token, ids);
      refused.push(...ids.filter((id) => !changed.has(id)));
      if (result === 'done') for (const job of jobs) if (changed.has(job.id)) await scheduleNext(tx, job, deps);
    }
  }
  for (const { job, outcome } of batch) {
    if (outcome.result !== 'failed') continue;
    const settled = await settleFailure(tx, job, outcome, now, deps);
    if (!settled) refused.push(job.id);
  }
  return refused;
}

async function settleFailure(
  tx: Writes,
  job: Claimed,
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
  const buried = await bury(tx, { id, token, at: now, error });
  if (buried) await scheduleNext(tx, job, deps);
  return buried;
}

async function scheduleNext(tx: Writes, job: Claimed, deps: SettleDeps): Promise<void> {
  if (job.unique_key !== null && job.owner_tenant_id === null) await deps.scheduleNext(tx, job);
}

function byToken(batch: readonly Finished[], result: Outcome['result']): Map<string, Claimed[]> {
  const matching = batch.filter(({ outcome }) => outcome.result === result).map(({ job }) => job);
  return Map.groupBy(matching, ({ token }) => token);
}
