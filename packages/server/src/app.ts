import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { changedBy } from './audit/audit.ts';
import { describeChange } from './audit/describe-change.ts';
import { readingBefore } from './audit/read-before.ts';
import type { Config } from './config.ts';
import type { Db } from './db/db.ts';
import { openDb } from './db/open.ts';
import { idempotency, purgeAnswers } from './http/contract/idempotency.ts';
import { journeyCookieName } from './http/contract/journey-cookie.ts';
import { requestLimits } from './http/contract/limits.ts';
import { operatorCookieName } from './http/contract/operator-cookie.ts';
import { buildHttp } from './http/server.ts';
import { hostHome, hostNameOf, hostTenant } from './http/tenant.ts';
import { defineJob } from './jobs/define-job.ts';
import type { Jobs } from './jobs/jobs.ts';
import { type Clock, HOUR, MINUTE, SECOND, systemClock } from './kernel/clock.ts';
import { ApiError } from './kernel/errors.ts';
import { documentSigner } from './kernel/sign-document.ts';
import type { Tracing } from './kernel/tracing.ts';
import { openLogLines } from './log-lines.ts';
import { openMetrics } from './metrics.ts';
import { openFeatures } from './open-features.ts';
import { type ApplicationPlatform, openPlatform } from './open-platform.ts';
import type { Operator } from './operator.ts';
import { operatorAdmin } from './operators/operator-admin.ts';
import { CONSOLE_FOLDER, WEB_FOLDER, watchPages } from './pages.ts';
import { definitionSchema } from './process-manager/definitions/schema.ts';
import { installShipped } from './process-manager/install-shipped.ts';
import type { MasterKey } from './secrets/master-key.ts';
import type { AllowSpecimens, CreateToken } from './tenants/demonstration.ts';
import { everyTenantId } from './tenants/tenants.repository.ts';
import { openTenants } from './tenants/tenants.ts';

/** The composition root: configuration, database, secrets and handlers become one application. */
export type App = Omit<Operator, 'jobs'> & {
  config: Config;
  master: MasterKey;
  /** For the demonstration, which has no caller yet. */
  createToken: CreateToken;
  allowSpecimens: AllowSpecimens;
  jobs: Jobs;
  log: Logger;
  http: FastifyInstance;
  /** Starts to listen and to run jobs. From then on the base address of a tenant is known. */
  listen(options?: ListenOptions): Promise<{ port: number; baseUrlOf(tenantId: string): string }>;
};

/** `force`: starts even if entries of the erasure log cannot be read. */
export type ListenOptions = { force?: boolean };

/** `webFolder`: the folder of the built pages of the journey, if it is not the default. */
export type AppOptions = { clock?: Clock; log?: Logger; webFolder?: string };

const TEXTS_FOLDER = fileURLToPath(new URL('../../journey/messages', import.meta.url));

export const VERSION = (createRequire(import.meta.url)('../package.json') as { version: string }).version;

const STOP_WITHIN_MS = 30_000;

/** The database must have been migrated. */
export async function openApp(
  config: Config,
  { clock = systemClock, log = openLog(config), webFolder = WEB_FOLDER }: AppOptions = {},
): Promise<App> {
  const db = openDb(config.database, (error) => log.warn({ err: error }, 'lost an idle database connection'));
  try {
    return await compose({ config, webFolder }, db, clock, log);
  } catch (error) {
    await db.close();
    throw error;
  }
}

type Places = { config: Config; webFolder: string };

async function compose({ config, webFolder }: Places, opened: Db, clock: Clock, log: Logger): Promise<App> {
  const platform = await openPlatform({ config, clock, log, version: VERSION }, opened);
  const { db, vault, master, arthr, jobs, audit, tracing, address, tenantRegions } = platform;
  const { signing } = arthr;
  jobs.register(purgeAnswersJob(db));
  const tenants = openTenants({
    db,
    vault,
    clock,
    pepper: arthr.pepper,
    elsewhere: tenantRegions.elsewhere,
    onCreate: installShipped,
  });
  const operators = operatorAdmin({ db, clock, baseUrlOf: address.baseUrlOf });
  const features = openFeatures({
    ...platform,
    installation: { tenants, admin: operators },
    textsFolder: TEXTS_FOLDER,
    version: VERSION,
    sign: documentSigner(() => signing.current()),
    isPermittedKey: arthr.isPermitted,
    cookieName: (instanceId) => journeyCookieName(config.scheme, instanceId),
    operatorCookieName: operatorCookieName(config.scheme),
  });
  let stopping = false;
  const http = openHttp(platform, features, { webFolder, isStopping: () => stopping });

  return {
    config,
    db,
    vault,
    master,
    signing,
    tenants,
    operators,
    createToken: features.createToken,
    allowSpecimens: features.allowSpecimens,
    jobs,
    log,
    http,
    async listen({ force = false } = {}) {
      await features.prepare({ force });
      await http.listen({ port: config.port, host: config.host });
      const [listening] = http.addresses();
      const port = typeof listening === 'object' ? listening.port : config.port;
      address.setPort(port);
      jobs.start();
      features.start({ isWorker: config.roles.includes('worker') });
      return { port, baseUrlOf: address.baseUrlOf };
    },
    async stop() {
      stopping = true;
      await Promise.all([features.stop(), drain(http), jobs.stop()]);
      await features.close();
      tenantRegions.close();
      await Promise.all([arthr.stop(), audit.stop(), stopTracing(tracing)]);
      await db.close();
    },
  };
}

type HttpOptions = { webFolder: string; isStopping(): boolean };

function openHttp(
  platform: ApplicationPlatform,
  features: ReturnType<typeof openFeatures>,
  { webFolder, isStopping }: HttpOptions,
): FastifyInstance {
  const { config, db, clock, log, vault, arthr, audit, jobs } = platform;
  const metrics = openMetrics(VERSION, async () => `${await metricsOf(jobs, log)}${await platform.metrics.text()}`);
  const pages = watchPages(webFolder);
  const tenantOf = hostTenant(config);
  const handlers = { apiKeys: arthr.handlers, ...features.handlers };
  return buildHttp({
    config,
    clock,
    log,
    db,
    limits: requestLimits(config.rateLimit, clock),
    testVolume: platform.testVolume,
    version: VERSION,
    webFolder,
    consoleFolder: CONSOLE_FOLDER,
    metricsToken: config.metricsToken,
    handlers,
    readBefore: readingBefore(handlers),
    journeySession: features.journeySession,
    operatorSession: features.operatorSession,
    readBudget: features.readBudget,
    pageFile: features.pageFile,
    ...features.embedOrigins,
    isLenient: features.isLenient,
    baseUrlOf: platform.baseUrlOf,
    definitionSchema,
    authenticate: arthr.authenticate,
    hostTenant: tenantOf,
    homeOf:
      config.tenantRegions === undefined
        ? undefined
        : hostHome(config, platform.tenantRegions.elsewhere, platform.address.baseUrlOf),
    async relatedOrigins(host) {
      const tenantId = tenantOf(host);
      return tenantId ? features.relatedOrigins(db.of(tenantId), hostNameOf(host)) : [];
    },
    idempotency: idempotency({ vault, clock }),
    recordChange: (tx, context, change) =>
      audit.record(tx, { ...changedBy(context), action: change.action, ...describeChange(change) }),
    observe: metrics.observe,
    tracing: platform.tracing,
    metrics: metrics.text,
    jwks: async () => (await arthr.signing.published()).map(({ jwk }) => jwk),
    async ready() {
      if (isStopping()) throw new ApiError(100010, { detail: 'the server is stopping', retryAfterSeconds: 5 });
      await db.ready();
      if (config.roles.includes('api')) await pages.ensure();
    },
  });
}

function purgeAnswersJob(db: Db) {
  return defineJob<object>({
    kind: 'http.purge-answers',
    does: 'removes responses stored for `Idempotency-Key` after 24 h',
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: 10 * MINUTE,
    recurs: { everyMs: HOUR, key: 'hourly' },
    async run(_payload, { now, signal }) {
      for await (const tenantId of everyTenantId(db.system)) {
        signal.throwIfAborted();
        await purgeAnswers(db.of(tenantId), now, signal);
      }
    },
  });
}

/** A collector that does not answer must not keep the server from stopping. */
const TRACES_WITHIN_MS = 3000;

async function stopTracing(tracing: Tracing | undefined): Promise<void> {
  if (!tracing) return;
  const late = new Promise<void>((done) => setTimeout(done, TRACES_WITHIN_MS).unref());
  await Promise.race([tracing.stop().catch(() => undefined), late]);
}

/** The other metrics are most important while the database is away, so a failed count is left out. */
function metricsOf(jobs: Jobs, log: Logger): Promise<string> {
  return jobs.metrics().catch((error) => {
    log.warn({ err: error }, 'could not count jobs');
    return '';
  });
}

/** Lets running requests finish. Connections are closed as soon as they are idle, and all of them after a time. */
async function drain(http: FastifyInstance): Promise<void> {
  const closeIdle = setInterval(() => http.server.closeIdleConnections(), 50);
  const closeAll = setTimeout(() => http.server.closeAllConnections(), STOP_WITHIN_MS);
  try {
    await http.close();
  } finally {
    clearInterval(closeIdle);
    clearTimeout(closeAll);
  }
}

/** Logs go to standard error, because scripts read standard output. By default nothing of a request is logged. */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>): Logger {
  const redact = { paths: ['*.authorization', '*.token', '*.code', '*.apiKey', '*.secret'], censor: '[redacted]' };
  return pino({ level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact }, openLogLines(2));
}
