import type { Audit } from '../audit/audit.ts';
import type { Db, TenantTx } from '../db/db.ts';
import type { Scrub } from '../db/sqlite/scrub.ts';
import type { Blobs } from '../engines/blobs/blobs.ts';
import { SandboxBroken, sandboxVision } from '../engines/vision/sandbox.ts';
import { scenarioOf } from '../engines/vision/scenarios.ts';
import type { VisionMachine } from '../engines/vision/vision.ts';
import type { ErasureLog } from '../erasure-log/erasure-log.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { type Clock, SECOND, toDtm } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { SignDocument } from '../kernel/sign-document.ts';
import type { Vault } from '../secrets/vault.ts';
import { linkHandlers } from './case-work/links.ts';
import { type NotesDeps, noteHandlers } from './case-work/notes.ts';
import { linkDevice } from './case-work/save-links.ts';
import { definitionHandlers } from './definitions/definitions.ts';
import type { Exists } from './definitions/lookup.ts';
import { openChallenges } from './faces/challenges.ts';
import { openKnownFaces } from './faces/known-faces.ts';
import { liveVision, type SearchValues, type SearchWatchlist } from './faces/live-vision.ts';
import { countSteps } from './funnel/count-steps.ts';
import { forgetCountsJob, funnelHandlers } from './funnel/funnel.ts';
import { stepLeaver, tellLeftJob } from './funnel/leave-step.ts';
import { stepSeer } from './funnel/see-step.ts';
import { imagesOf, saveImage } from './images/images.repository.ts';
import { SWEEP_EVERY_MS, sweepBlobsJob } from './images/sweep-blobs.ts';
import { createFromToken, type FromToken } from './instances/create-from-token.ts';
import { deleteBlobsJob } from './instances/delete-blobs.ts';
import { endReason } from './instances/end-reason.repository.ts';
import { readInstanceData } from './instances/instance-data.ts';
import { appendEvents } from './instances/instance-events.repository.ts';
import { parentProcesses } from './instances/parent-process.ts';
import {
  findInstance,
  findInstanceForUpdate,
  type InstanceRow,
  setScenario,
} from './instances/process-instances.repository.ts';
import { processInstanceHandlers } from './instances/process-instances.ts';
import { makeResumeLink, rootOf } from './instances/resume-link.ts';
import { spendStartCode } from './instances/spend-start-code.ts';
import { processStarter } from './instances/start-process.ts';
import { eventTeller, type ToldEvent } from './instances/tell-events.ts';
import { openRetention } from './retention/open-retention.ts';
import { closedReviewHandlers } from './reviews/closed-reviews.ts';
import { reviewHandlers } from './reviews/reviews.ts';
import type { CallHttp } from './runtime/call-http.ts';
import { type Look, openDrive } from './runtime/drive.ts';
import type { IdentityPort } from './runtime/identity-port.ts';
import { defineRunDue } from './runtime/run-due.ts';
import { beginStep } from './runtime/settle-step.ts';
import { startChildJob } from './runtime/start-child.ts';
import { defineWorkStep } from './runtime/work-step.ts';
import { sandboxHandlers } from './sandbox/sandbox.ts';
import { mayFrame } from './settings/embed-origins.ts';
import { redirectAllowed } from './settings/redirect-allowed.ts';
import { settingsHandlers } from './settings/settings.ts';
import { homeOf, linkTarget } from './tokens/link-target.ts';
import { closeToken, removeTokensOver, uiUrlOfToken } from './tokens/process-tokens.repository.ts';
import { processTokenHandlers } from './tokens/process-tokens.ts';
import { usageHandlers } from './usage/usage.ts';
import { whatIfHandlers } from './what-if/what-if.ts';

/** Definitions, tokens, instances, reviews and the engine, put together. */
export type ProcessManagerDeps = {
  db: Db;
  vault: Vault;
  clock: Clock;
  jobs: Jobs;
  blobs: Blobs;
  erasureLog: ErasureLog;
  audit: Audit;
  sign: SignDocument;
  scrub: Scrub;
  /** The machine that looks at the images of live instances. */
  vision: VisionMachine;
  /** Whether this process takes the jobs that need it. */
  takesLooks: boolean;
  /** Looks for a face in a watchlist; without it no such check is performed. */
  searchWatchlist?: SearchWatchlist;
  searchValues?: SearchValues;
  baseUrlOf(tenantId: string): string;
  maxTokens: number;
  /** The regional system that this server is part of. */
  region: string;
  everyTenantId(): AsyncIterable<TenantId>;
  /** Tenants whose journeys wait. */
  suspended(): Promise<ReadonlySet<string>>;
  /** Told in the transaction of an event, for webhooks. */
  notify(tx: TenantTx, event: ToldEvent): Promise<void>;
  /** For steps that add, register or recognise a user. */
  identity(): IdentityPort;
  /** For steps that ask a service of the tenant. */
  callHttp: CallHttp;
  sendWebhook(tx: TenantTx, name: string, event: ToldEvent): Promise<boolean>;
  /** Tells an end user who waits for the decision that a reviewer asks for steps again. */
  askedAgain(
    tx: TenantTx,
    instanceId: string,
    makeLink: () => Promise<{ url: string; expiresAt: number }>,
  ): Promise<void>;
  /** The names of those of the operators who can sign in. */
  operatorNames: NotesDeps['operatorNames'];
  /** Whether what a definition refers to is there. */
  exists: Exists;
  /** Told after the commit that a journey has changed. */
  changed(tenantId: TenantId, instanceId: string): void;
  onError(what: string, error: unknown): void;
  /** Writes to the log. The details hold nothing of a person. */
  warn(details: object, message: string): void;
};

const RUN_DUE_EVERY_MS = 30 * SECOND;

export type ProcessManager = ReturnType<typeof openProcessManager>;

export function openProcessManager(deps: ProcessManagerDeps) {
  const { db, vault, jobs, blobs, audit, baseUrlOf } = deps;
  const { vision: machine, searchWatchlist, searchValues, clock } = deps;
  const watching = {
    ...{ vault, machine, known: openKnownFaces(deps), now: () => clock.now() },
    ...(searchWatchlist && { searchWatchlist }),
    ...(searchValues && { searchValues }),
  };
  const deleteBlobs = deleteBlobsJob(blobs);
  const { workStep, lookStep } = defineWorkStep({
    ...{
      jobs,
      takesLooks: deps.takesLooks,
      vault,
      blobs,
      drive: () => drive,
      callHttp: deps.callHttp,
      identity: deps.identity,
    },
    visionOf: (of, look) => {
      const { step = '', attempt = 1 } = look.state.flow.current ?? {};
      const live = liveVision(watching, of, look, step);
      if (look.instance.environment === 'live') return live;
      const scenario = scenarioOf(look.state.params._scenario);
      return sandboxVision(scenario, { attempt, params: look.state.params, now: clock.now(), lookups: live });
    },
    deleteBlobs: (tx, keys) => jobs.enqueue(tx, deleteBlobs, { keys }),
    isHopeless: (error) => error instanceof SandboxBroken,
  });
  const tell = eventTeller(async (tx, event) => {
    await countSteps(tx, event);
    await deps.notify(tx, event);
  });
  const tellLeft = tellLeftJob({ drive: () => drive, tell, jobs });
  const { identity, sendWebhook, changed, warn } = deps;
  const startChild = startChildJob(() => drive);
  const drive = openDrive({ vault, jobs, workStep, lookStep, startChild, tell, identity, sendWebhook, changed, warn });
  const { beginErasure, ...retention } = openRetention({ ...deps, drive, tell });
  const runDue = defineRunDue({
    db,
    drive,
    everyTenantId: deps.everyTenantId,
    suspended: deps.suspended,
    onError: deps.onError,
  });
  jobs.register(workStep);
  jobs.register(lookStep);
  jobs.register(startChild);
  jobs.register(deleteBlobs);
  jobs.register(runDue, { everyMs: RUN_DUE_EVERY_MS, key: 'due' });
  const sweepBlobs = sweepBlobsJob({ db, blobs, everyTenantId: deps.everyTenantId });
  jobs.register(sweepBlobs, { everyMs: SWEEP_EVERY_MS, key: 'hourly' });
  jobs.register(tellLeft);
  const forgetCounts = forgetCountsJob({ db, everyTenantId: deps.everyTenantId });
  jobs.register(forgetCounts, { dailyAt: '00:45', key: 'daily' });

  const resumeLink = async (tx: TenantTx, row: InstanceRow, now: number) => {
    const { redirectUrl, expiresAt } = await makeResumeLink(tx, row, { now, baseUrl: baseUrlOf(tx.tenantId) });
    return { redirectUrl, expiringDtm: toDtm(expiresAt) };
  };

  /** A link of its own: that of the answer is for the relying party. */
  const askedAgain = async (tx: TenantTx, row: InstanceRow, now: number) => {
    const root = await rootOf(tx, row);
    await deps.askedAgain(tx, root.id, async () => {
      const { redirectUrl: url, expiresAt } = await makeResumeLink(tx, root, { now, baseUrl: baseUrlOf(tx.tenantId) });
      return { url, expiresAt };
    });
  };

  return {
    handlers: {
      processTokens: processTokenHandlers({ baseUrlOf, audit, maxTokens: deps.maxTokens, erasureLog: deps.erasureLog }),
      processInstances: processInstanceHandlers({
        tell,
        vault,
        beginErasure,
        audit,
        baseUrlOf,
        drive,
        region: deps.region,
      }),
      processDefinitions: definitionHandlers({ exists: deps.exists }),
      funnels: funnelHandlers(),
      reviews: reviewHandlers({ drive, audit, resumeLink, askedAgain }),
      closedReviews: closedReviewHandlers(),
      whatIf: whatIfHandlers(),
      usage: usageHandlers(),
      instanceLinks: linkHandlers({ audit }),
      ...noteHandlers({ audit, operatorNames: deps.operatorNames }),
      processSettings: settingsHandlers(),
      sandbox: sandboxHandlers(),
      ...retention.handlers,
    },
    drive,
    data: readInstanceData({ drive, vault, blobs, region: deps.region }),
    /** For features that have end users run a process. */
    forAskers: {
      startProcess: processStarter({ baseUrlOf, tell }),
      closeToken,
      removeTokensOver,
      ...parentProcesses(drive, deps.clock),
    },
    forPersons: { sources: retention.ofPerson, finishErasures: retention.finishErasures },
    start: retention.start,
    stop: retention.stop,
    /** What the journeys of end users need of it. */
    forJourneys: {
      drive,
      lockInstance: findInstanceForUpdate,
      setScenario,
      spendStartCode,
      createFromToken: (tx: TenantTx, from: Omit<FromToken, 'tell'>) => createFromToken(tx, { ...from, tell }),
      uiUrlOfToken,
      linkTarget,
      homeOf,
      endReason,
      redirectAllowed,
      mayFrame,
      imagesOf,
      saveImage,
      beginStep: (tx: TenantTx, look: Look, how: { now: number; anew: boolean }) =>
        beginStep(identity(), tx, look, how),
      challenges: openChallenges(vault),
      seeStep: stepSeer({ tell }),
      leaveStep: stepLeaver({ jobs, tellLeft }),
      async linkDevice(tx: TenantTx, instanceId: string, otherId: string, now: number) {
        const [instance, other] = [await findInstance(tx, instanceId), await findInstance(tx, otherId)];
        if (instance && other) await linkDevice(tx, instance, other, now);
      },
      async addEvent(tx: TenantTx, row: InstanceRow, type: string, now: number) {
        const events = [{ type, status: row.status }];
        await appendEvents(tx, row, events, now);
        await tell(tx, row, events, { before: row.sequence, now });
      },
      deleteBlobs: (tx: TenantTx, keys: readonly string[]) => jobs.enqueue(tx, deleteBlobs, { keys }),
    },
  };
}
