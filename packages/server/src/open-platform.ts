import type { Logger } from 'pino';
import { openArthr } from './arthr/arthr.ts';
import { openAudit } from './audit/audit.ts';
import { openBusinessMetrics } from './business-metrics.ts';
import { baseUrlOf, type Config } from './config.ts';
import type { Db } from './db/db.ts';
import { openJobs } from './jobs/jobs.ts';
import type { Clock } from './kernel/clock.ts';
import type { Platform } from './kernel/feature.ts';
import type { Region } from './kernel/regions.ts';
import { testVolume } from './kernel/test-volume.ts';
import { deliveriesWaiting } from './notification-service/queue.repository.ts';
import { openSecrets } from './open-secrets.ts';
import { openTracing, tracedDb } from './open-tracing.ts';
import { reviewsWaiting } from './process-manager/reviews/reviews.repository.ts';
import { openSuspensions } from './tenants/suspensions.ts';
import { openTenantRegions } from './tenants/tenant-regions.ts';
import { everyTenantId } from './tenants/tenants.repository.ts';

type PlatformOptions = { config: Config; clock: Clock; log: Logger; version: string };
export type ApplicationPlatform = Awaited<ReturnType<typeof openPlatform>>;

/**
 * Opens the parts that all features need: the database, secrets, keys of callers, jobs, the audit trail and metrics.
 */
export async function openPlatform({ config, clock, log, version }: PlatformOptions, opened: Db) {
  const tracing = await openTracing(config, version, (error) => log.warn({ err: error }, 'traces could not be sent'));
  const db = tracedDb(opened, tracing);
  const { master, vault, peppers } = await openSecrets(config, db, clock);
  const address = openAddress(config);
  const tenantRegions = openTenantRegions(config, (error) =>
    log.error({ err: error }, 'the directory of regions has a fault; the last one holds'),
  );
  const suspensions = openSuspensions({ system: db.system, clock });
  const audit = openAudit({ db, onError: (error) => log.error({ err: error }, 'could not save audit events') });
  const shared = {
    db,
    vault,
    clock,
    audit,
    baseUrlOf: address.baseUrlOf,
    everyTenantId: () => everyTenantId(db.system),
    suspended: suspensions.ids,
    testVolume: testVolume(config.testMegabytesPerDay, clock),
    onError: (what: string, error: unknown) => log.error({ err: error }, what),
    warn: (details: object, message: string) => log.warn(details, message),
  } satisfies Omit<Platform, 'jobs'>;
  const limitFailures = config.rateLimit !== 'off';
  const arthr = await openArthr({ ...shared, peppers, limitFailures, issuerOf: address.baseUrlOf });
  const metrics = openBusinessMetrics({
    ...shared,
    dataFolder: config.dataFolder,
    tracing,
    reviewsWaiting: (tenantId) => reviewsWaiting(db.of(tenantId)),
    webhooksWaiting: () => deliveriesWaiting(db.system),
    onError: (error) => log.warn({ err: error }, 'a metric could not be read'),
  });
  const { roles, jobsAtOnce } = config;
  const limits = { concurrency: jobsAtOnce.all, atOnce: jobsAtOnce.byKind, roles };
  const jobs = openJobs({ db, clock, log, tracing, suspended: suspensions.ids, ...limits });
  return { ...shared, config, log, tracing, master, address, tenantRegions, suspensions, arthr, jobs, metrics };
}

/**
 * The address under which tenants reach this server. If the system chooses the port, it is known once the server
 * listens.
 */
function openAddress(config: Config) {
  let urlOf = baseUrlOf(config, config.port);
  return {
    baseUrlOf: (tenantId: string, region?: Region) => urlOf(tenantId, region),
    setPort(port: number) {
      urlOf = baseUrlOf(config, port);
    },
  };
}
