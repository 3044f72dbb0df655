import type { TenantDb, TenantTx } from '../db/db.ts';
import { SandboxBroken, sandboxVision } from '../engines/vision/sandbox.ts';
import { scenarioOf } from '../engines/vision/scenarios.ts';
import type { Vision, VisionMachine } from '../engines/vision/vision.ts';
import type { ErasureLog } from '../erasure-log/erasure-log.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Platform } from '../kernel/feature.ts';
import type { InstanceEvent } from '../kernel/instance-event.ts';
import { linkHandlers } from './case-work/links.ts';
import { type NotesDeps, noteHandlers } from './case-work/notes.ts';
import { type SessionDeps, sessionHandlers } from './case-work/sessions.ts';
import { cloudSecretHandlers } from './cloud-secrets/cloud-secrets.ts';
import { definitionHandlers } from './definitions/definitions.ts';
import type { Exists } from './definitions/lookup.ts';
import { openKnownFaces } from './faces/known-faces.ts';
import { packFramesJob } from './faces/pack-frames.ts';
import { processesForJourneys } from './for-journeys.ts';
import { countSteps } from './funnel/count-steps.ts';
import { forgetCountsJob, funnelHandlers } from './funnel/funnel.ts';
import { reportLeftJob } from './funnel/leave-step.ts';
import { eventsOfView } from './funnel/see-step.ts';
import { rememberStepViews } from './funnel/step-views.repository.ts';
import { deleteBlobsJob, sweepBlobsJob } from './images/sweep-blobs.ts';
import { eventNotifier } from './instances/notify-events.ts';
import type { InstanceRow } from './instances/process-instances.repository.ts';
import { makeResumeLink, rootOf } from './instances/resume-link.ts';
import { type ProcessInstancesDeps, processInstanceHandlers } from './process-instances.ts';
import type { RetentionDeps } from './retention/open-retention.ts';
import { openRetention } from './retention/open-retention.ts';
import { closedReviewHandlers } from './reviews/closed-reviews.ts';
import { queueHandlers } from './reviews/queues.ts';
import { type ReviewDeps, reviewHandlers } from './reviews/reviews.ts';
import type { DriveDeps } from './runtime/drive.ts';
import { openDrive, type Snapshot } from './runtime/drive.ts';
import { readInstanceData } from './runtime/instance-data.ts';
import { liveVision, type SearchValues, type SearchWatchlist } from './runtime/live-vision.ts';
import { parentProcesses, startChildJob } from './runtime/parent-process.ts';
import { defineRunDue } from './runtime/run-due.ts';
import type { WorkDeps } from './runtime/work-step.ts';
import { workStepJobs } from './runtime/work-step.ts';
import { sandboxHandlers } from './sandbox/sandbox.ts';
import { settingsHandlers } from './settings/settings.ts';
import { closeToken, removeTokensOver } from './tokens/process-tokens.repository.ts';
import { processTokenHandlers } from './tokens/process-tokens.ts';
import { processStarter } from './tokens/start-process.ts';
import { usageHandlers } from './usage/usage.ts';
import { shadowVersionHandlers } from './what-if/shadow-versions.ts';
import { whatIfHandlers } from './what-if/what-if.ts';

/** The feature of processes: definitions, tokens, instances, reviews and the engine. */
export type ProcessManagerDeps = Platform &
  Pick<WorkDeps, 'blobs' | 'callHttp' | 'takesLooks'> &
  Pick<DriveDeps, 'expectNotified' | 'identity' | 'sendWebhook' | 'changed'> &
  Pick<RetentionDeps, 'scrub' | 'sign' | 'receiptsDays'> &
  Pick<ProcessInstancesDeps, 'region' | 'mailTo'> &
  Pick<NotesDeps, 'operatorNames' | 'tellOperator'> &
  Pick<SessionDeps, 'messagesTo'> &
  Pick<ReviewDeps, 'reviewerName'> & {
    erasureLog: ErasureLog;
    /** The machine that analyses the images of live instances. */
    vision: VisionMachine;
    watchlists: { searchWatchlist: SearchWatchlist; searchValues: SearchValues };
    maxTokens: number;
    /** Called in the transaction of every event. */
    notify(tx: TenantTx, event: InstanceEvent): Promise<void>;
    /** Sends a link to an end user who waits for the decision, because a reviewer asks for steps again. */
    askedAgain(
      tx: TenantTx,
      instanceId: string,
      makeLink: () => Promise<{ url: string; expiresAt: number }>,
    ): Promise<void>;
    /** Looks up the objects to which definitions refer. */
    exists: Exists;
  };

export function openProcessManager(deps: ProcessManagerDeps) {
  const { vault, jobs, blobs, audit, baseUrlOf, region, expectNotified } = deps;
  const notifyAll = async (tx: TenantTx, events: readonly InstanceEvent[]) => {
    for (const event of events) await deps.notify(tx, event);
  };
  const notifyEvents = eventNotifier(async (tx, events) => {
    await Promise.all([countSteps(tx, events), notifyAll(tx, events)]);
  });
  const drive = openDrive({ ...deps, notifyEvents, eventsOfView, rememberViews: rememberStepViews });
  const deletion = deleteBlobsJob(blobs);
  const deleteBlobs = (tx: TenantTx, keys: readonly string[]) => jobs.enqueue(tx, deletion, { keys });
  const { beginErasure, ...retention } = openRetention({ ...deps, drive, notifyEvents });

  return {
    jobs: [
      ...workStepJobs({ ...deps, drive, deleteBlobs, visionOf: visionFinder(deps), isHopeless }),
      startChildJob(drive),
      deletion,
      defineRunDue({ ...deps, drive }),
      sweepBlobsJob(deps),
      packFramesJob({ ...deps, deleteBlobs }),
      reportLeftJob({ drive, notifyEvents, jobs }),
      forgetCountsJob(deps),
      ...retention.jobs,
    ],
    erasables: retention.erasables,
    handlers: {
      processTokens: processTokenHandlers({ baseUrlOf, audit, maxTokens: deps.maxTokens, erasureLog: deps.erasureLog }),
      processInstances: processInstanceHandlers({
        notifyEvents,
        expectNotified,
        vault,
        beginErasure,
        audit,
        baseUrlOf,
        drive,
        region,
        mailTo: deps.mailTo,
      }),
      processDefinitions: definitionHandlers({ exists: deps.exists }),
      funnels: funnelHandlers(),
      reviews: reviewHandlers({ ...deps, drive, ...resumeLinks(deps) }),
      closedReviews: closedReviewHandlers(),
      reviewQueues: queueHandlers(),
      whatIf: whatIfHandlers(),
      shadowVersions: shadowVersionHandlers(),
      usage: usageHandlers(),
      instanceLinks: linkHandlers({ audit }),
      instanceSessions: sessionHandlers(deps),
      ...noteHandlers(deps),
      processSettings: settingsHandlers(),
      sandbox: sandboxHandlers(),
      cloudSecrets: cloudSecretHandlers({ vault }),
      ...retention.handlers,
    },
    data: readInstanceData({ drive, vault, blobs, region }),
    /** For features that have end users run a process. */
    forAskers: {
      startProcess: processStarter({ baseUrlOf, notifyEvents }),
      closeToken,
      removeTokensOver,
      ...parentProcesses(drive, deps.clock),
    },
    forPersons: { sources: retention.ofPerson, finishErasures: retention.finishErasures },
    forJourneys: processesForJourneys({ ...deps, drive, notifyEvents, deleteBlobs }),
    startWork: retention.start,
    stop: retention.stop,
  };
}

/** The machine for live instances, and the scenario for those of the sandbox. */
function visionFinder(deps: ProcessManagerDeps) {
  const { vault, clock, vision: machine, watchlists } = deps;
  const watching = { vault, machine, known: openKnownFaces(deps), now: () => clock.now(), ...watchlists };
  return (db: TenantDb, snapshot: Snapshot): Vision => {
    const { step = '', attempt = 1 } = snapshot.state.flow.current ?? {};
    const live = liveVision(watching, db, snapshot, step);
    if (snapshot.instance.environment === 'live') return live;
    const { params } = snapshot.state;
    return sandboxVision(scenarioOf(params._scenario), { attempt, params, now: clock.now(), lookups: live });
  };
}

const isHopeless = (error: unknown) => error instanceof SandboxBroken;

/** Links that lead back into a journey: one for the relying party, and another one for the end user. */
function resumeLinks({ baseUrlOf, askedAgain }: Pick<ProcessManagerDeps, 'baseUrlOf' | 'askedAgain'>) {
  const makeLink = (tx: TenantTx, row: InstanceRow, now: number) =>
    makeResumeLink(tx, row, { now, baseUrl: baseUrlOf(tx.tenantId) });
  return {
    async resumeLink(tx: TenantTx, row: InstanceRow, now: number) {
      const { redirectUrl, expiresAt } = await makeLink(tx, row, now);
      return { redirectUrl, expiringDtm: toDtm(expiresAt) };
    },
    async askedAgain(tx: TenantTx, row: InstanceRow, now: number) {
      const root = await rootOf(tx, row);
      await askedAgain(tx, root.id, async () => {
        const { redirectUrl: url, expiresAt } = await makeLink(tx, root, now);
        return { url, expiresAt };
      });
    },
  };
}
