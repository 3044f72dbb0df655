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

/** Every midnight of UTC. */
const PURGE_DAILY_AT = '00:00';
/** Servers that delete instances side by side, at most. */
const LANES = 4;
/** How many instances of one tenant are deleted before it is the turn of the next. */
const TURN = 1000;
/** What is younger is finished by its own job. */
const LEFT_BEHIND_MS = HOUR;
/** What a clock check refuses is tried again for some hours, and is then a dead job that the operator sees. */
const PATIENCE = { maxAttempts: 10, backoff: { firstMs: MINUTE, mostMs: HOUR }, timeoutMs: 6 * HOUR };

export type PurgeJobDeps = Pick<Platform, 'db' | 'clock' | 'everyTenantId'> & {
  purge: Purge;
  finisher: Pick<Finisher, 'leftBehind'>;
  clockFault: ClockFault;
  erasureLog: Pick<ErasureLog, 'tend'>;
  receiptsDays: number;
};

/**
 * Instances: several jobs that any servers run side by side, each a turn of every tenant after another until nothing is
 * left, so a tenant with millions keeps nobody else's data longer than promised.
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
          const purgePlace = { now: clock.now(), limit: TURN, deletion: { by: 'Retention' }, signal, failed };
          const { purged, failure } = await purge(tenant, purgePlace);
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
        const left: TenantId[] = [];
        for (const tenantId of tenants) if (await turn(db.of(tenantId))) left.push(tenantId);
        tenants = left;
      }
      if (failures.length > 0) throw failures[0];
    },
  });
}

/** The rest. It also finishes erasures whose own job was given up, because the place of the blobs was away for too long. */
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
      // The trouble of one tenant, or of the place of the blobs, keeps nobody else's data longer than promised.
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
