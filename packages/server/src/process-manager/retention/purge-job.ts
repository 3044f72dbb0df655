import type { TenantDb } from '../../db/db.ts';
import type { ErasureLog } from '../../erasure-log/erasure-log.ts';
import { defineJob, type JobDefinition, JobError } from '../../jobs/define-job.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import type { Platform } from '../../kernel/feature.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { purgeTokens } from '../tokens/purge-tokens.ts';
import type { ClockFault } from './compare-clocks.ts';
import type { Finisher } from './finish-erasures.ts';
import type { Purge } from './purge.ts';
import { purgeReceipts } from './purge-receipts.ts';

/** Midnight in UTC. */
const PURGE_DAILY_AT = '00:00';
/** The highest number of servers that delete instances in parallel. */
const LANES = 4;
/** The number of instances of one tenant that are deleted before the next tenant's turn. */
const TURN = 1000;
/** Younger erasures are left to their own jobs. */
const LEFT_BEHIND_MS = HOUR;
/** After a fault of the clock, a job is retried for some hours and then becomes a dead job, which the operator sees. */
const PATIENCE = { maxAttempts: 10, backoff: { firstMs: MINUTE, mostMs: HOUR }, timeoutMs: 6 * HOUR };

export type PurgeJobDeps = Pick<Platform, 'db' | 'clock' | 'everyTenantId'> & {
  purge: Purge;
  finisher: Pick<Finisher, 'leftBehind'>;
  clockFault: ClockFault;
  erasureLog: Pick<ErasureLog, 'tend'>;
  receiptsDays: number;
};

/**
 * Purges instances by several jobs, which servers run in parallel. Each job gives every tenant a turn until nothing is left,
 * so that a tenant with millions of instances does not delay the deletion of others' data.
 */
export function purgeInstancesJob(deps: PurgeJobDeps): JobDefinition<object> {
  const { db, clock, purge } = deps;
  const lanes = Array.from({ length: db.isSingleServer ? 1 : LANES }, (_, lane) => `lane-${lane + 1}`);
  return defineJob<object>({
    kind: 'process-manager.purge-instances',
    does: 'deletes instances when their retention has ended; several servers share the work; see [privacy.md](privacy.md)',
    ...PATIENCE,
    atOnce: 1,
    recurs: lanes.map((key) => ({ dailyAt: PURGE_DAILY_AT, key })),
    async run(_payload, { signal }) {
      const failures: unknown[] = [];
      const failed = new Set<string>();
      const turn = async (tenant: TenantDb): Promise<boolean> => {
        try {
          await ensureClocks(deps, tenant);
          const request = { now: clock.now(), limit: TURN, deletion: { by: 'Retention' }, signal, failed };
          const { purged, failure } = await purge(tenant, request);
          if (failure) failures.push(failure.reason);
          return purged >= TURN;
        } catch (error) {
          signal.throwIfAborted();
          failures.push(error);
          return false;
        }
      };
      let tenants: TenantId[] = [];
      for await (const tenantId of deps.everyTenantId()) if (await turn(db.of(tenantId))) tenants.push(tenantId);
      while (tenants.length > 0) {
        const remaining: TenantId[] = [];
        for (const tenantId of tenants) if (await turn(db.of(tenantId))) remaining.push(tenantId);
        tenants = remaining;
      }
      if (failures.length > 0) throw failures[0];
    },
  });
}

/** Purges tokens and receipts. It also finishes erasures whose job gave up because the blob store was away for too long. */
export function purgeJob(deps: PurgeJobDeps): JobDefinition<object> {
  const { db, clock, finisher, receiptsDays } = deps;
  const purgeOf = async (tenant: TenantDb, signal: AbortSignal) => {
    await ensureClocks(deps, tenant);
    await purgeTokens(tenant, clock.now(), signal);
    await purgeReceipts(tenant, { now: clock.now(), days: receiptsDays }, signal);
  };
  return defineJob<object>({
    kind: 'process-manager.purge',
    does: 'removes used-up and expired process tokens, and receipts of erasures after `GROVE_RECEIPTS_DAYS`; retries failed erasures',
    ...PATIENCE,
    recurs: { dailyAt: PURGE_DAILY_AT, key: 'daily' },
    async run(_payload, { signal }) {
      const failures: unknown[] = [];
      // A fault of one tenant, or of the blob store, must not delay the deletion of others' data.
      const attempt = (work: Promise<unknown>) => work.catch((error) => void failures.push(error));
      await attempt(deps.erasureLog.tend(signal));
      for await (const tenantId of deps.everyTenantId()) {
        signal.throwIfAborted();
        const tenant = db.of(tenantId);
        await attempt(purgeOf(tenant, signal));
        await attempt(finisher.leftBehind(tenant, clock.now() - LEFT_BEHIND_MS, signal));
      }
      if (failures.length > 0) throw failures[0];
    },
  });
}

async function ensureClocks({ clockFault }: PurgeJobDeps, tenant: TenantDb): Promise<void> {
  const fault = await clockFault(tenant);
  if (fault !== undefined) throw new JobError(`nothing was deleted: ${fault}`);
}
