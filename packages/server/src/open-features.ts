import type { Logger } from 'pino';
import { auditEventHandlers } from './audit/audit-events.ts';
import { auditJobs } from './audit/purge-audit.ts';
import { openReadBudget } from './audit/read-budget.ts';
import type { BusinessMetrics } from './business-metrics.ts';
import type { Config } from './config.ts';
import { openScrub } from './db/sqlite/scrub.ts';
import { openErased } from './engines/blobs/open.ts';
import { openErasureLog } from './erasure-log/erasure-log.ts';
import { openIdentityStore } from './identity-store/identity-store.ts';
import { openPushNotifications } from './identity-store/push-notifications/push-notifications.ts';
import type { Jobs } from './jobs/jobs.ts';
import { openJourney } from './journey/journey.ts';
import { openLive } from './journey/live.ts';
import { openMessages } from './journey/messages/messages.ts';
import type { Platform } from './kernel/feature.ts';
import type { TenantId } from './kernel/ids.ts';
import type { SignDocument } from './kernel/sign-document.ts';
import type { MayStillCall } from './kernel/still-allowed.ts';
import type { Tracing } from './kernel/tracing.ts';
import { openNotifications } from './notification-service/notifications.ts';
import { openDoors } from './open-doors.ts';
import { openCaseMails } from './operators/case-mails.ts';
import type { InstallationDeps } from './operators/installation/installation.ts';
import { operatorNames, reviewerName } from './operators/operator-names.ts';
import { openOperators } from './operators/operators.ts';
import { isStillPermitted } from './operators/sessions.ts';
import { isSecretName, secretFinder, secretHostFault } from './process-manager/cloud-secrets/find-secret.ts';
import { openExports } from './process-manager/exports/exports.ts';
import { parametersOf } from './process-manager/instances/process-instances.repository.ts';
import { openProcessManager } from './process-manager/process-manager.ts';
import { releaseClaims } from './process-manager/reviews/release-claims.ts';
import { httpCaller } from './process-manager/runtime/call-http.ts';
import { sealExisting } from './process-manager/sealing/seal-existing.ts';
import { lenientTenants, readBudgetOf } from './process-manager/settings/settings.repository.ts';
import { specimenAllower } from './process-manager/settings/settings.ts';
import { tokenCreator } from './process-manager/tokens/create-token.ts';
import { embedOrigins } from './process-manager/tokens/embed-origins.ts';
import { purgeKeptDatabases } from './purge-kept-databases.ts';
import type { Suspensions } from './tenants/suspensions.ts';
import { tenantNames } from './tenants/tenants.ts';
import { openThemeServer } from './theme-server/theme-server.ts';
import { openInstanceEvents, tieFeatures } from './tie-features.ts';
import { openPersonRequests } from './userdata-server/person-requests/person-requests.ts';
import { userDataHandlers } from './userdata-server/user-data.ts';
import { openWatchlistManager } from './watchlist-manager/watchlist-manager.ts';

export type FeatureDeps = Platform & {
  config: Config;
  log: Logger;
  jobs: Jobs;
  sign: SignDocument;
  /** Whether a request with this API key would be admitted now for this permission. */
  isPermittedKey(tenantId: TenantId, keyId: string, permission: string): Promise<boolean>;
  /** The name of the cookie that opens an instance. */
  cookieName(instanceId: string): string;
  /** The name of the cookie of an operator's session. */
  operatorCookieName: string;
  /** The folder of the texts of the journey. */
  textsFolder: string;
  version: string;
  metrics: BusinessMetrics;
  suspensions: Suspensions;
  /** The actions of operators of the installation on tenants. */
  installation: Pick<InstallationDeps, 'tenants' | 'admin'>;
  tracing?: Tracing | undefined;
};

/**
 * Opens every feature but the keys of callers. Each gets ports of the features that it uses, so none imports another's
 * storage.
 */
export function openFeatures(deps: FeatureDeps) {
  const shared = openShared(deps);
  const { config, db, clock, audit, erasureLog, events, doors } = shared;
  const services = openServices(shared);
  const { notifications, readBudget, themes, watchlists, identity, messages, caseMails } = services;
  const manager = openManager(shared, services);
  const pushes = openPushNotifications(identity.core, {
    ...shared,
    processes: manager.forAskers,
    faultOfAddress: doors.outbound.faultOf,
  });
  const journeys = openJourney({
    ...shared,
    messages,
    processes: manager.forJourneys,
    themes: themes.forJourneys,
    countryHeader: config.countryHeader,
  });
  const cookieName = deps.operatorCookieName;
  const operators = openOperators({ ...shared, ...shared.tenants, cookieName, releaseClaims });
  const personRequests = openPersonRequests({
    ...shared,
    ...manager.data,
    finishErasures: manager.forPersons.finishErasures,
    sources: [...manager.forPersons.sources, identity.ofPerson, watchlists.ofPerson],
  });
  const sealing = sealExisting({
    ...shared,
    others: { users: identity.sealBatch, members: watchlists.sealBatch },
    onProgress: (progress) => deps.log.info(progress, 'sealing personal data that an earlier release stored'),
  });

  const features = tieFeatures({ jobs: deps.jobs, erasureLog, events }, [
    doors,
    purgeKeptDatabases(config, clock),
    sealing,
    erasureLog,
    { onInstanceEvent: deps.metrics.event },
    notifications,
    themes,
    watchlists,
    identity,
    pushes,
    messages,
    manager,
    openExports(shared),
    journeys,
    operators,
    caseMails,
    personRequests,
    { handlers: { userData: userDataHandlers({ ...shared, ...manager.data }) } },
    { handlers: { auditEvents: auditEventHandlers([readBudget, audit]) }, jobs: auditJobs(shared) },
    { close: readBudget.stop },
  ]);
  return {
    ...features,
    journeySession: journeys.journeySession,
    operatorSession: operators.session,
    readBudget,
    pageFile: themes.pageFile,
    relatedOrigins: identity.relatedOrigins,
    createToken: tokenCreator(manager.handlers.processTokens, db, clock),
    allowSpecimens: specimenAllower(db, clock),
    isLenient: lenientTenants(db),
    embedOrigins: embedOrigins(db, shared),
  };
}

type Shared = ReturnType<typeof openShared>;

/** Opens what several features use: the platform, the doors to the outside, and some ports. */
function openShared(deps: FeatureDeps) {
  const { config, db, clock, vault, audit } = deps;
  const doors = openDoors(deps);
  const versions = { grove: deps.version, node: process.versions.node };
  const platform = { ...deps, ...doors, versions, region: config.region, secure: config.scheme === 'https' };
  const scrub = openScrub(config.database);
  const tenants = { nameOf: tenantNames(db.system), ensureActive: deps.suspensions.ensureActive };
  return {
    ...platform,
    doors,
    tenants,
    tenantName: tenants.nameOf,
    scrub,
    erasureLog: openErasureLog({ ...platform, scrub, entries: openErased(config, clock) }),
    events: openInstanceEvents(),
    live: openLive(platform),
    mayStillCall: mayStillCall(deps),
    findSecret: secretFinder({ vault, clock, audit }),
    secretHostFault,
  };
}

type Services = ReturnType<typeof openServices>;

/** Opens the features that the process manager uses. */
function openServices(shared: Shared) {
  const { config, doors } = shared;
  const notifications = openNotifications({
    ...shared,
    parametersOf,
    onAttempt: shared.metrics.webhookAttempt,
    perEndpoint: config.webhooksPerEndpoint,
  });
  return {
    notifications,
    readBudget: openReadBudget({
      ...shared,
      budgetOf: readBudgetOf,
      notify: notifications.notifyTenant,
      onError: (error) => shared.onError('could not count reads of API keys', error),
    }),
    themes: openThemeServer({ ...shared, pagesDomain: config.pagesDomain }),
    watchlists: openWatchlistManager(shared),
    identity: openIdentityStore({
      ...shared,
      notify: notifications.notifyIdentity,
      expectEvent: notifications.expect,
      faces: doors.vision,
      metadata: { metadataPlace: config.fidoMetadata, outbound: doors.outbound, log: shared.log },
    }),
    messages: openMessages({ ...shared, perDay: config.messagesPerDay, changed: shared.live.changed }),
    caseMails: openCaseMails(shared),
  };
}

function mayStillCall({ db, clock, suspended, isPermittedKey }: FeatureDeps): MayStillCall {
  return async (principal, permission) => {
    const { tenantId, callerId, operator, expiresAt = Number.POSITIVE_INFINITY } = principal;
    if (clock.now() >= expiresAt) return false;
    if (!operator) return isPermittedKey(tenantId, callerId, permission);
    if ((await suspended()).has(tenantId)) return false;
    return isStillPermitted({ db, clock }, { ...principal, operator }, permission);
  };
}

function openManager(shared: Shared, services: Services) {
  const { notifications, themes, watchlists, identity, messages, caseMails } = services;
  const { config, outbound, findSecret } = shared;
  return openProcessManager({
    ...shared,
    operatorNames,
    reviewerName,
    tellOperator: caseMails.queue,
    watchlists,
    identity: identity.forSteps,
    notify: shared.events.publish,
    expectNotified: notifications.expect,
    changed: shared.live.changed,
    askedAgain: messages.askedAgain,
    mailTo: () => messages.queueFor('EMAIL'),
    messagesTo: messages.listFor,
    takesLooks: config.roles.includes('vision'),
    maxTokens: config.maxProcessTokens,
    sendWebhook: notifications.notifyStep,
    receiptsDays: config.receiptsDays,
    callHttp: httpCaller({ outbound, findSecret }),
    exists: {
      webhook: notifications.isWebhookName,
      secret: isSecretName,
      secretHostFault,
      addressFault: outbound.faultOf,
      page: themes.isPageName,
      theme: themes.isThemeName,
      watchlist: watchlists.isListName,
      store: identity.isStoreName,
    },
  });
}
