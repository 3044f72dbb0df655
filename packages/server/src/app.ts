import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { openArthr } from './arthr/arthr.ts';
import type { SigningKeys } from './arthr/tokens/signing-keys.ts';
import { type Audit, openAudit } from './audit/audit.ts';
import { auditEventHandlers } from './audit/audit-events.ts';
import { purgeAuditJob } from './audit/purge-audit.ts';
import { baseUrlOf, type Config } from './config.ts';
import type { Db } from './db/db.ts';
import { openDb } from './db/open.ts';
import { openScrub } from './db/scrub.ts';
import { openBlobs } from './engines/blobs/open.ts';
import { openImages } from './engines/images/images.ts';
import { parseAllowList } from './engines/outbound/allow-list.ts';
import { openOutbound } from './engines/outbound/outbound.ts';
import { openVision } from './engines/vision/open-vision.ts';
import { idempotency, purgeAnswers } from './http/idempotency.ts';
import { journeyCookieName } from './http/journey-cookie.ts';
import { requestLimits } from './http/limits.ts';
import { buildHttp } from './http/server.ts';
import { hostTenant } from './http/tenant.ts';
import { openIdentityStore } from './identity-store/identity-store.ts';
import { defineJob } from './jobs/define-job.ts';
import { type Jobs, openJobs } from './jobs/jobs.ts';
import { openJourney } from './journey/journey.ts';
import { type Clock, HOUR, MINUTE, SECOND, systemClock } from './kernel/clock.ts';
import { ApiError } from './kernel/errors.ts';
import { documentSigner, type SignDocument } from './kernel/sign-document.ts';
import { openMetrics } from './metrics.ts';
import { openNotifications } from './notification-service/notifications.ts';
import { cloudSecretHandlers } from './process-manager/cloud-secrets/cloud-secrets.ts';
import { isSecretName, secretFinder } from './process-manager/cloud-secrets/find-secret.ts';
import { installShipped } from './process-manager/definitions/install-shipped.ts';
import { definitionSchema } from './process-manager/definitions/schema.ts';
import { httpCaller } from './process-manager/engine/call-http.ts';
import { parametersOf } from './process-manager/instances/parameters-of.ts';
import { openProcessManager } from './process-manager/process-manager.ts';
import { tokenCreator } from './process-manager/tokens/create-token.ts';
import { type MasterKey, openMasterKey } from './secrets/master-key.ts';
import { openVault, type Vault } from './secrets/vault.ts';
import type { CreateToken } from './tenants/demonstration.ts';
import { everyTenantId } from './tenants/tenants.repository.ts';
import { OperatorError, openTenants, type Tenants, tenantNames } from './tenants/tenants.ts';
import { openThemeServer } from './theme-server/theme-server.ts';
import { userDataHandlers } from './userdata-server/user-data.ts';

/** The composition root: configuration, database, secrets and handlers become one application. */
export type App = {
  config: Config;
  db: Db;
  vault: Vault;
  master: MasterKey;
  signing: SigningKeys;
  tenants: Tenants;
  /** For the demonstration, which has no caller yet. */
  createToken: CreateToken;
  jobs: Jobs;
  log: Logger;
  http: FastifyInstance;
  /** Starts to listen and to work on jobs; the base address of a tenant is known from then on. */
  listen(): Promise<{ port: number; baseUrlOf(tenantId: string): string }>;
  /** Lets requests and jobs finish, writes what was gathered, closes the database. */
  stop(): Promise<void>;
};

/** `webFolder`: where the built pages of the journey are, if they are not where the build puts them. */
export type AppOptions = { clock?: Clock; log?: Logger; webFolder?: string };

const WEB_FOLDER = fileURLToPath(new URL('../../journey/dist', import.meta.url));

export const VERSION = (createRequire(import.meta.url)('../package.json') as { version: string }).version;

const STOP_WITHIN_MS = 30_000;

const WRONG_MASTER_KEY =
  'The master key is not the one that sealed this database. Give Grove the key that belongs to it: see GROVE_MASTER_KEY and GROVE_MASTER_KEY_FILE.';

/** The database must have been migrated. */
export async function openApp(
  config: Config,
  { clock = systemClock, log = openLog(config), webFolder = WEB_FOLDER }: AppOptions = {},
): Promise<App> {
  const db = openDb(config.database, (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  try {
    return await compose({ config, webFolder }, db, clock, log);
  } catch (error) {
    await db.close();
    throw error;
  }
}

type Places = { config: Config; webFolder: string };

async function compose({ config, webFolder }: Places, db: Db, clock: Clock, log: Logger): Promise<App> {
  const master = openMasterKey(config.masterKey);
  const vault = openVault({ master, clock });
  const peppers = await vault.systemSecret(db.system, 'api-key-pepper').catch(explainWrongKey);
  let urlOf = baseUrlOf(config, config.port);
  const { handlers, authenticate, signing, pepper, ...arthr } = await openArthr({
    ...{ db, vault, clock, peppers, limitFailures: config.rateLimit !== 'off' },
    issuerOf: (tenantId) => urlOf(tenantId),
    onError: (what, error) => log.error({ err: error }, what),
  });
  const jobs = openJobsOf(db, clock, log);
  const audit = openAudit({ db, onError: (error) => log.error({ err: error }, 'audit events could not be written') });
  const processes = openProcesses({
    ...{ config, db, vault, clock, log, jobs, audit, baseUrlOf: (tenantId) => urlOf(tenantId) },
    sign: documentSigner(() => signing.current()),
  });
  const metrics = openMetrics(VERSION, () => metricsOf(jobs, log));
  let stopping = false;

  const http = buildHttp({
    config,
    clock,
    log,
    db,
    limits: requestLimits(config.rateLimit, clock),
    version: VERSION,
    webFolder,
    metricsToken: config.metricsToken,
    handlers: { apiKeys: handlers, ...processes.handlers },
    journeySession: processes.journeySession,
    pageFile: processes.pageFile,
    baseUrlOf: (tenantId) => urlOf(tenantId),
    definitionSchema,
    authenticate,
    hostTenant: hostTenant(config),
    idempotency: idempotency({ vault, clock }),
    observe: metrics.observe,
    metrics: metrics.text,
    jwks: () => signing.published().map(({ jwk }) => jwk),
    async ready() {
      if (stopping) throw new ApiError(100010, { detail: 'the server is stopping', retryAfterSeconds: 5 });
      await db.now();
    },
  });

  return {
    config,
    db,
    vault,
    master,
    signing,
    tenants: openTenants({ db, vault, clock, pepper, onCreate: installShipped }),
    createToken: processes.createToken,
    jobs,
    log,
    http,
    async listen() {
      await http.listen({ port: config.port, host: config.host });
      const [address] = http.addresses();
      const port = typeof address === 'object' ? address.port : config.port;
      urlOf = baseUrlOf(config, port);
      jobs.start();
      processes.start();
      return { port, baseUrlOf: urlOf };
    },
    async stop() {
      stopping = true;
      await Promise.all([processes.stop(), drain(http), jobs.stop()]);
      await processes.drained();
      await Promise.all([arthr.stop(), audit.stop()]);
      await db.close();
    },
  };
}

/** The configuration has looked at the list already. */
const NOBODY = { ranges: [], targets: new Set<string>() };

type ProcessDeps = Pick<App, 'config' | 'db' | 'vault' | 'log' | 'jobs'> & {
  clock: Clock;
  audit: Audit;
  sign: SignDocument;
  baseUrlOf(tenantId: string): string;
};

/** Definitions, instances and journeys, and the data they gather. */
function openProcesses({ config, db, vault, clock, log, jobs, audit, sign, baseUrlOf }: ProcessDeps) {
  const tenants = () => everyTenantId(db.system);
  const onError = (what: string, error: unknown) => log.error({ err: error }, what);
  const blobs = openBlobs(config, clock);
  const images = openImages({ onError });
  const vision = openVision({ mode: config.vision, clock, onError });
  const findSecret = secretFinder({ vault, clock, audit });
  const outbound = openOutbound({ allow: parseAllowList(config.outboundAllow) ?? NOBODY });
  const notifications = openNotifications({
    ...{ db, vault, clock, log, parametersOf, findSecret, outbound },
    everyTenantId: tenants,
  });
  for (const { definition, everyMs, key } of notifications.jobs) {
    jobs.register(definition);
    jobs.schedule({ kind: definition.kind, everyMs, key });
  }
  const themeServer = openThemeServer({ db, clock, pagesDomain: config.pagesDomain, baseUrlOf });
  const manager = openProcessManager({
    ...{ db, vault, clock, jobs, blobs, audit, sign, baseUrlOf, vision },
    notify: notifications.notify,
    sendWebhook: notifications.notifyStep,
    callHttp: httpCaller({ outbound, findSecret }),
    exists: { webhook: notifications.isWebhookName, secret: isSecretName, page: themeServer.isPageName },
    scrub: openScrub(config.database),
    everyTenantId: tenants,
    onError,
    changed: (tenantId, instanceId) => journeys.live.changed(tenantId, instanceId),
  });
  const journeys = openJourney({
    ...{ db, clock, vault, blobs, images, baseUrlOf, ...manager.forJourneys },
    secure: config.scheme === 'https',
    cookieName: (instanceId) => journeyCookieName(config.scheme, instanceId),
    tenantName: tenantNames(db.system),
    pageUrl: themeServer.pageUrl,
    onError,
  });
  const identity = openIdentityStore({
    ...{ db, vault, jobs, everyTenantId: tenants, notify: notifications.notifyIdentity },
  });
  const purgeAudit = purgeAuditJob({ db, everyTenantId: tenants });
  jobs.register(purgeAudit);
  jobs.schedule({ kind: purgeAudit.kind, dailyAt: '00:30', key: 'daily' });
  const versions = { grove: VERSION, node: process.versions.node };
  return {
    handlers: {
      ...{ ...manager.handlers, ...journeys.handlers, ...notifications.handlers, ...themeServer.handlers },
      ...identity.handlers,
      ...{ auditEvents: auditEventHandlers(audit), cloudSecrets: cloudSecretHandlers({ vault }) },
      userData: userDataHandlers({ ...manager.data, audit, sign, versions, baseUrlOf }),
    },
    journeySession: journeys.journeySession,
    pageFile: themeServer.pageFile,
    createToken: tokenCreator(manager.handlers.processTokens, db, clock),
    start() {
      manager.start();
      notifications.start();
    },
    async stop() {
      journeys.stop();
      await Promise.all([manager.stop(), notifications.stop()]);
    },
    /** No request and no job can ask for an image any more. */
    drained: () => Promise.all([images.stop(), vision.stop()]),
  };
}

/** Node says "unable to authenticate data", which helps nobody. */
function explainWrongKey(error: unknown): never {
  const wrongKey =
    (error as { code?: string }).code === 'ERR_OSSL_BAD_DECRYPT' || /authenticate data/.test(String(error));
  throw wrongKey ? new OperatorError(WRONG_MASTER_KEY) : error;
}

/** The queue, with every kind of job that this release knows. */
function openJobsOf(db: Db, clock: Clock, log: Logger): Jobs {
  const jobs = openJobs({ db, clock, log });
  const purge = defineJob<object>({
    kind: 'http.purge-answers',
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: 10 * MINUTE,
    async run(_payload, { now, signal }) {
      for await (const tenantId of everyTenantId(db.system)) {
        signal.throwIfAborted();
        await purgeAnswers(db.of(tenantId), now, signal);
      }
    },
  });
  jobs.register(purge);
  jobs.schedule({ kind: purge.kind, everyMs: HOUR, key: 'hourly' });
  return jobs;
}

/** Whoever watches the server should see it most of all when the database is away. */
function metricsOf(jobs: Jobs, log: Logger): Promise<string> {
  return jobs.metrics().catch((error) => {
    log.warn({ err: error }, 'the jobs could not be counted');
    return '';
  });
}

/** Requests in flight finish; their connections are closed as soon as they are idle, and all of them in the end. */
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

/** Logs go to standard error: standard output is for what a script reads. Nothing of a request is logged by default. */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>): Logger {
  const redact = { paths: ['*.authorization', '*.token', '*.code', '*.apiKey', '*.secret'], censor: '[redacted]' };
  return pino(
    { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact },
    pino.destination({ fd: 2, sync: true }),
  );
}
