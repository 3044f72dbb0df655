import type { Db, TenantDb } from '../../db/db.ts';
import type { ErasureLog } from '../../erasure-log/erasure-log.ts';
import { defineJob, type JobDefinition, JobError } from '../../jobs/define-job.ts';
import { type Clock, HOUR, MINUTE } from '../../kernel/clock.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { purgeTokens } from '../tokens/purge-tokens.ts';
import type { ClockFault } from './compare-clocks.ts';
import type { FinishErasuresOf } from './finish-erasures.ts';
import type { Purge } from './purge.ts';
import { purgeReceipts } from './purge-receipts.ts';

/** Every midnight of UTC. */
const PURGE_DAILY_AT = '00:00';
const MOST_AT_ONCE = 1_000_000;

export type PurgeJobDeps = {
  db: Db;
  clock: Clock;
  purge: Purge;
  finish: FinishErasuresOf;
  clockFault: ClockFault;
  erasureLog: Pick<ErasureLog, 'tend'>;
  everyTenantId(): AsyncIterable<TenantId>;
};

/**
 * What a clock check refuses is tried again for some hours, and is then a dead job that the operator sees. It also
 * finishes erasures whose own job was given up, because the place of the blobs was away for too long.
 */
export function purgeJob(deps: PurgeJobDeps): JobDefinition<object> {
  const { db, clock, purge, finish, clockFault } = deps;
  const purgeOf = async (tenant: TenantDb, signal: AbortSignal) => {
    const fault = await clockFault(tenant);
    if (fault !== undefined) throw new JobError(`nothing was deleted: ${fault}`);
    await purge(tenant, { now: clock.now(), limit: MOST_AT_ONCE, deletion: { by: 'Retention' }, signal });
    await purgeTokens(tenant, clock.now(), signal);
    await purgeReceipts(tenant, clock.now(), signal);
  };
  return defineJob<object>({
    kind: 'process-manager.purge',
    does: 'deletes instances whose retention is over, process tokens that are over, receipts after three years; see [privacy.md](privacy.md)',
    maxAttempts: 10,
    backoff: { firstMs: MINUTE, mostMs: HOUR },
    timeoutMs: 6 * HOUR,
    recurs: { dailyAt: PURGE_DAILY_AT, key: 'daily' },
    async run(_payload, { signal }) {
      const failures: unknown[] = [];
      // The trouble of one tenant, or of the place of the blobs, keeps nobody else's data longer than promised.
      const tried = (work: Promise<unknown>) => work.catch((error) => void failures.push(error));
      await tried(deps.erasureLog.tend(signal));
      for await (const tenantId of deps.everyTenantId()) {
        signal.throwIfAborted();
        const tenant = db.of(tenantId);
        await tried(purgeOf(tenant, signal));
        await tried(finish(tenant, signal));
      }
      if (failures.length > 0) throw failures[0];
    },
  });
}
