import type { Logger } from 'pino';
import type { Audit } from './audit/audit.ts';
import { auditEventHandlers } from './audit/audit-events.ts';
import { purgeAuditJob } from './audit/purge-audit.ts';
import { openReadBudget } from './audit/read-budget.ts';
import type { BusinessMetrics } from './business-metrics.ts';
import type { Config } from './config.ts';
import { sqliteFile } from './config-places.ts';
import type { Db } from './db/db.ts';
import { purgeKeptDatabases } from './db/sqlite/kept-databases.ts';
import { openScrub } from './db/sqlite/scrub.ts';
import { openBlobs, openErased } from './engines/blobs/open.ts';
import type { Confinement } from './engines/images/confine.ts';
import { openImages } from './engines/images/images.ts';
import { openMail } from './engines/mail/mail.ts';
import { parseAllowList } from './engines/outbound/allow-list.ts';
import { openHttp2 } from './engines/outbound/http2.ts';
import { openOutbound } from './engines/outbound/outbound.ts';
import { openPush } from './engines/push/push.ts';
import { openVision } from './engines/vision/open-vision.ts';
import { openErasureLog } from './erasure-log/erasure-log.ts';
import { openIdentityStore } from './identity-store/identity-store.ts';
import { defineJob } from './jobs/define-job.ts';
import type { Jobs } from './jobs/jobs.ts';
import { openJourney } from './journey/journey.ts';
import { openMessages } from './journey/messages/messages.ts';
import { type Clock, HOUR, MINUTE } from './kernel/clock.ts';
import type { SignDocument } from './kernel/sign-document.ts';
import type { Tracing } from './kernel/tracing.ts';
import { openNotifications } from './notification-service/notifications.ts';
import { tracedOutbound } from './open-tracing.ts';
import { operatorNames } from './operators/operator-names.ts';
import { openOperators } from './operators/operators.ts';
import { cloudSecretHandlers } from './process-manager/cloud-secrets/cloud-secrets.ts';
import { isSecretName, secretFinder, secretHostFault } from './process-manager/cloud-secrets/find-secret.ts';
import { parametersOf } from './process-manager/instances/parameters-of.ts';
import { openProcessManager } from './process-manager/process-manager.ts';
import { httpCaller } from './process-manager/runtime/call-http.ts';
import { sealExisting } from './process-manager/sealing/seal-existing.ts';
import { specimenAllower } from './process-manager/settings/allow-specimens.ts';
import { embedOrigins } from './process-manager/settings/embed-origins.ts';
import { lenientTenants } from './process-manager/settings/lenient-requests.ts';
import { readBudgetOf } from './process-manager/settings/read-budget-of.ts';
import { tokenCreator } from './process-manager/tokens/create-token.ts';
import type { Vault } from './secrets/vault.ts';
import type { Suspensions } from './tenants/suspensions.ts';
import { everyTenantId } from './tenants/tenants.repository.ts';
import { tenantNames } from './tenants/tenants.ts';
import { openThemeServer } from './theme-server/theme-server.ts';
import { openPersonRequests } from './userdata-server/person-requests/person-requests.ts';
import { userDataHandlers } from './userdata-server/user-data.ts';
import { openWatchlistManager } from './watchlist-manager/watchlist-manager.ts';

/** The configuration has looked at the list already. */
const NOBODY = { ranges: [], targets: new Set<string>() };

export type FeatureDeps = {
  config: Config;
  db: Db;
  vault: Vault;
  log: Logger;
  jobs: Jobs;
  clock: Clock;
  audit: Audit;
  sign: SignDocument;
  baseUrlOf(tenantId: string): string;
  /** The name of the cookie that opens an instance. */
  cookieName(instanceId: string): string;
  /** The name of the cookie of an operator's session. */
  operatorCookieName: string;
  /** Where the texts of the journey are. */
  textsFolder: string;
  version: string;
  metrics: BusinessMetrics;
  suspensions: Suspensions;
  tracing?: Tracing | undefined;
};

/**
 * Every feature but the keys of callers, put together: each is handed what it needs of the others as functions, so none
 * of them imports another's storage.
 */
export function openFeatures(deps: FeatureDeps) {
  const { config, db, vault, clock, log, jobs, audit, sign, baseUrlOf, suspensions } = deps;
  const tenants = () => everyTenantId(db.system);
  const onError = (what: string, error: unknown) => log.error({ err: error }, what);
  const { metrics, tracing } = deps;
  const blobs = metrics.measured('blob', openBlobs(config, clock), ['put', 'get', 'delete']);
  const erasureLog = openErasureLog({
    ...{ db, vault, clock, jobs, onError, entries: openErased(config, clock), everyTenantId: tenants },
  });
  const scrub = openScrub(config.database);
  const images = metrics.measured('decoder', openImages({ onError, onStart: confinementLog(log) }), [
    'reencode',
    'firstPage',
  ]);
  const machine = openVision({
    isElsewhere: !config.roles.includes('vision'),
    ...{ mode: config.vision, facePack: config.facePack, weights: config.weights, clock, onError },
  });
  const vision = metrics.measured('vision', machine, ['readDocument', 'readFace', 'matchFaces', 'faceTemplate']);
  const findSecret = secretFinder({ vault, clock, audit });
  const allow = parseAllowList(config.outboundAllow) ?? NOBODY;
  const outbound = tracedOutbound(openOutbound({ allow }), tracing);
  const http2 = openHttp2({ allow });
  const notifications = openNotifications({
    ...{ db, vault, clock, log, parametersOf, findSecret, secretHostFault, outbound },
    ...{ everyTenantId: tenants, suspended: suspensions.ids, tracing, onAttempt: metrics.webhookAttempt },
    perEndpoint: config.webhooksPerEndpoint,
  });
  for (const { definition, everyMs, key } of notifications.jobs) {
    jobs.register(definition, { everyMs, key });
  }
  const readBudget = openReadBudget({
    ...{ db, clock, audit, budgetOf: readBudgetOf, notify: notifications.notifyTenant },
    warn: (details, message) => log.warn(details, message),
    onError: (error) => onError('could not count reads of API keys', error),
  });
  const themeServer = openThemeServer({
    db,
    clock,
    pagesDomain: config.pagesDomain,
    textsFolder: deps.textsFolder,
    baseUrlOf,
  });
  const watchlists = openWatchlistManager({
    ...{ db, vault, clock, jobs, audit, images, vision, erasureLog, everyTenantId: tenants },
  });
  const manager = openProcessManager({
    ...{ db, vault, clock, jobs, blobs, audit, sign, baseUrlOf, vision, erasureLog },
    takesLooks: config.roles.includes('vision'),
    ...{ maxTokens: config.maxProcessTokens, region: config.region },
    async notify(tx, event) {
      metrics.event(tx, event);
      await notifications.notify(tx, event);
      await identity.instanceTold(tx, event);
      await messages.instanceTold(tx, event);
    },
    sendWebhook: notifications.notifyStep,
    askedAgain: (tx, instanceId, makeLink) => messages.askedAgain(tx, instanceId, makeLink),
    ...{ searchWatchlist: watchlists.searchWatchlist, searchValues: watchlists.searchValues },
    callHttp: httpCaller({ outbound, findSecret }),
    identity: () => identity.forSteps,
    exists: {
      webhook: notifications.isWebhookName,
      secret: isSecretName,
      secretHostFault,
      addressFault: (url) => outbound.faultOf(url),
      page: themeServer.isPageName,
      theme: themeServer.isThemeName,
      watchlist: watchlists.isListName,
      store: (reads, name) => identity.isStoreName(reads, name),
    },
    operatorNames,
    scrub,
    ...{ everyTenantId: tenants, suspended: suspensions.ids },
    onError,
    warn: (details, message) => log.warn(details, message),
    changed: (tenantId, instanceId) => journeys.live.changed(tenantId, instanceId),
  });
  const tenantName = tenantNames(db.system);
  const messages = openMessages({
    ...{ db, vault, jobs, log, tenantName, perDay: config.messagesPerDay, everyTenantId: tenants },
    mail: metrics.measured('mail', openMail({ smtp: config.smtp, sms: config.sms, outbound }), [
      'sendMail',
      'sendText',
    ]),
    changed: (tenantId, instanceId) => journeys.live.changed(tenantId, instanceId),
  });
  const journeys = openJourney({
    ...{ db, clock, vault, blobs, images, vision, baseUrlOf, ...manager.forJourneys },
    secure: config.scheme === 'https',
    cookieName: deps.cookieName,
    ...{ tenantName, ensureActive: suspensions.ensureActive, messages, countryHeader: config.countryHeader },
    pageUrl: themeServer.pageUrl,
    lookOf: themeServer.lookOf,
    onError,
  });
  const identity = openIdentityStore({
    ...{
      db,
      vault,
      jobs,
      erasureLog,
      everyTenantId: tenants,
      notify: notifications.notifyIdentity,
      faces: vision,
      images,
      clock,
    },
    ...{ push: openPush({ outbound, http2, clock }), processes: manager.forAskers },
    faultOfAddress: outbound.faultOf,
    metadata: { place: config.fidoMetadata, outbound, log },
  });
  const operators = openOperators({
    ...{ db, clock, audit, baseUrlOf, tenantName, region: config.region, secure: config.scheme === 'https' },
    ...{ cookieName: deps.operatorCookieName, ensureActive: suspensions.ensureActive },
  });
  const purgeAudit = purgeAuditJob({ db, everyTenantId: tenants });
  jobs.register(purgeAudit, { dailyAt: '00:30', key: 'daily' });
  const purgeKept = () => {
    // On PostgreSQL, too: what a move left behind lies in the data folder.
    purgeKeptDatabases(sqliteFile(config.dataFolder), clock.now());
  };
  const purgeKeptDaily = defineJob<object>({
    ...{
      kind: 'db.purge-kept-databases',
      does: 'removes databases that a restore or a move has left beside the present one',
      maxAttempts: 5,
      backoff: { firstMs: MINUTE, mostMs: HOUR },
      timeoutMs: MINUTE,
    },
    run: async () => purgeKept(),
  });
  jobs.register(purgeKeptDaily, { dailyAt: '00:45', key: 'daily' });
  const versions = { grove: deps.version, node: process.versions.node };
  return {
    handlers: {
      ...{ ...manager.handlers, ...journeys.handlers, ...notifications.handlers, ...themeServer.handlers },
      ...watchlists.handlers,
      ...identity.handlers,
      ...operators.handlers,
      ...{ auditEvents: auditEventHandlers([readBudget, audit]), cloudSecrets: cloudSecretHandlers({ vault }) },
      userData: userDataHandlers({ ...manager.data, audit, sign, versions, baseUrlOf }),
      personRequests: openPersonRequests({
        ...{ ...manager.data, db, vault, jobs, audit, sign, clock, versions, baseUrlOf, scrub, erasureLog },
        everyTenantId: tenants,
        finishErasures: manager.forPersons.finishErasures,
        sources: [...manager.forPersons.sources, identity.ofPerson, watchlists.ofPerson],
      }),
    },
    journeySession: journeys.journeySession,
    operatorSession: operators.session,
    readBudget,
    pageFile: themeServer.pageFile,
    relatedOrigins: identity.relatedOrigins,
    createToken: tokenCreator(manager.handlers.processTokens, db, clock),
    allowSpecimens: specimenAllower(db, clock),
    isLenient: lenientTenants(db),
    embedOrigins: embedOrigins(db),
    /** Before the first request and the first job. */
    async prepare({ force }: { force: boolean }) {
      purgeKept();
      await sealExisting({
        ...{ db, scrub, everyTenantId: tenants },
        others: { users: identity.sealBatch, members: watchlists.sealBatch },
        onProgress: (progress) => log.info(progress, 'sealing personal data that an earlier release stored'),
      });
      await erasureLog.prepare({ force });
      await identity.metadata.load();
    },
    start() {
      if (config.vision === 'off' && !config.roles.includes('vision')) {
        log.warn(
          'live pictures wait for a process with the role vision; if there is none, set GROVE_ROLES=api,worker,vision',
        );
      }
      if (config.roles.includes('worker')) {
        manager.start();
        notifications.start();
      }
      identity.metadata.start();
    },
    async stop() {
      journeys.stop();
      erasureLog.stop();
      identity.metadata.stop();
      await Promise.all([manager.stop(), notifications.stop()]);
    },
    /** No request and no job can ask for an image any more, nor send anything. */
    drained: () => {
      http2.close();
      return Promise.all([images.stop(), vision.stop(), readBudget.stop()]);
    },
  };
}

/** Says once that the process that decodes images is less confined than it could be. */
function confinementLog(log: Logger): (confinement: Confinement) => void {
  let isLogged = false;
  return ({ systemCalls, nodePermissions, reason }) => {
    if (systemCalls || isLogged) return;
    isLogged = true;
    log.warn({ nodePermissions, reason }, 'images are decoded without a filter of system calls; see docs/security.md');
  };
}
