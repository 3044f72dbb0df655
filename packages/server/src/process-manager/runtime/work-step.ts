import { setTimeout as sleep } from 'node:timers/promises';
import { DbError, type TenantDb, type TenantTx } from '../../db/db.ts';
import { BlobError, type Blobs } from '../../engines/blobs/blobs.ts';
import type { Vision } from '../../engines/vision/vision.ts';
import { isTakenAway, type JobContext, type JobDefinition, JobPostponed } from '../../jobs/define-job.ts';
import { isGone } from '../../kernel/errors.ts';
import type { Platform } from '../../kernel/feature.ts';
import type { Findings } from '../engine/state.ts';
import { stepTypeOf } from '../engine/steps/registry.ts';
import type { WorkImage, WorkRequest, WorkResult } from '../engine/steps/step-type.ts';
import { openChallenges } from '../faces/challenges.ts';
import { type ImageRow, imagesOf, saveImages } from '../images/images.repository.ts';
import { imageId, readImage } from '../images/read-image.ts';
import { storeDerived } from '../images/save-derived.ts';
import type { ImageName } from '../instances/instance-journey.repository.ts';
import { lockChain } from '../instances/lock-chain.ts';
import type { CallHttp } from './call-http.ts';
import type { Drive, Snapshot } from './drive.ts';
import type { IdentityPort } from './identity-port.ts';
import { LOOK_STEP, WORK_STEP, type WorkPayload } from './job-kinds.ts';
import { actsFor, needsLook } from './settle-step.ts';

/** The work of machines on an attempt of a step. It runs at least once; the engine accepts findings only once. */
export type WorkDeps = Pick<Platform, 'vault' | 'jobs'> & {
  drive: Drive;
  blobs: Blobs;
  /** The machine for live instances, and the scenario for those of the sandbox. */
  visionOf(db: TenantDb, snapshot: Snapshot): Vision;
  /** Enqueues the deletion of blobs after the commit. */
  deleteBlobs(tx: TenantTx, keys: readonly string[]): Promise<unknown>;
  callHttp: CallHttp;
  identity: IdentityPort;
  /** Whether this process analyses images. */
  takesLooks: boolean;
  /** Whether a retry cannot help: then the instance ends with an error at once. */
  isHopeless(error: unknown): boolean;
};

export function workStepJobs(deps: WorkDeps): readonly JobDefinition<WorkPayload>[] {
  const workStep: JobDefinition<WorkPayload> = {
    ...WORK_STEP,
    async run({ instanceId, step, attempt }, context) {
      const db = context.tenant();
      const applyTrigger = (trigger: Parameters<Drive['apply']>[2]) =>
        db.write((tx) => deps.drive.apply(tx, instanceId, trigger, context.now)).catch(isGone);
      const snapshot = await deps.drive.lookAt(db, instanceId);
      if (!snapshot || !isAtWork(snapshot, { instanceId, step, attempt })) return;
      if (!deps.takesLooks && needsLook(snapshot.instance, snapshot.definition, step)) {
        // An earlier release had one kind of job for both.
        await db.write((tx) => deps.jobs.enqueue(tx, LOOK_STEP, { instanceId, step, attempt }));
        return;
      }
      let workResult: WorkResult;
      try {
        workResult = await work(deps, db, snapshot, context);
      } catch (error) {
        if (error instanceof JobPostponed || isOutage(error) || isTakenAway(context)) throw error;
        if (!deps.isHopeless(error) && context.attempt < WORK_STEP.maxAttempts) throw error;
        await applyTrigger({ type: 'broke', step, attempt, reason: 'step_broke' });
        return;
      }
      const { images = [], conclude, ...workFindings } = workResult;
      const { dataKey } = snapshot;
      const rows = await storeDerived(deps, db, images, { instanceId, dataKey, step, attempt, now: context.now });
      const isTaken = await db
        .write(async (tx) => {
          const at = { instanceId, step, attempt, now: context.now };
          const findings = conclude ? await concludeWork(deps, tx, { ...at, conclude }) : workFindings;
          if (!findings) return false;
          const trigger = { type: 'findings', step, attempt, findings } as const;
          const { refusal } = await deps.drive.apply(tx, instanceId, trigger, context.now);
          if (refusal) return false;
          // During the work, a step gets no other images.
          const replaced = await saveImages(tx, rows, snapshot.images);
          if (replaced.length > 0) await deps.deleteBlobs(tx, replaced);
          return true;
        })
        .catch(isGone);
      if (!isTaken) await Promise.all(rows.map(({ blob_key }) => deps.blobs.delete(blob_key).catch(() => undefined)));
    },
  };
  const run = postponedInOutage(workStep.run);
  return [
    { ...WORK_STEP, run },
    { ...LOOK_STEP, run },
  ];
}

type Handler = JobDefinition<WorkPayload>['run'];

/**
 * Postpones work during an outage: a journey must not end because a bucket was restarted. The engine ends work that takes too
 * long (`work_timeout`); then the job has nothing more to do.
 */
function postponedInOutage(handler: Handler): Handler {
  return async (payload, context) => {
    try {
      await handler(payload, context);
    } catch (error) {
      throw isOutage(error) ? new JobPostponed(error) : error;
    }
  };
}

/** Whether the database or the blob store is away or full. */
function isOutage(error: unknown): boolean {
  return (error instanceof DbError || error instanceof BlobError) && ['unavailable', 'full'].includes(error.fault);
}

function isAtWork({ state }: Snapshot, { step, attempt }: WorkPayload): boolean {
  const { current } = state.flow;
  return current?.phase === 'work' && current.step === step && current.attempt === attempt;
}

type Conclusion = WorkPayload & { conclude: NonNullable<WorkResult['conclude']>; now: number };

/** Concludes work with the instance locked, if it is still wanted, so that it is not concluded twice. */
async function concludeWork(deps: WorkDeps, tx: TenantTx, conclusion: Conclusion): Promise<Findings | undefined> {
  const { instanceId, step, now } = conclusion;
  await lockChain(tx, instanceId);
  const snapshot = await deps.drive.lookAt(tx, instanceId);
  if (!snapshot || !isAtWork(snapshot, conclusion)) return undefined;
  const acts = await actsFor(deps.identity, tx, { row: snapshot.instance, step, now });
  return conclusion.conclude(acts);
}

async function work(deps: WorkDeps, db: TenantDb, snapshot: Snapshot, context: JobContext): Promise<WorkResult> {
  const { signal } = context;
  const { state, definition, instance } = snapshot;
  const current = state.flow.current as NonNullable<typeof state.flow.current>;
  const step = definition.step(current.step);
  const stepType = step && stepTypeOf(step.type);
  if (!step || !stepType?.work) throw new Error(`there is no work to do for step ${current.step}`);
  const stepName = `Step: ${definition.definition.name}/${step.id}`;
  const isOfAttempt = (image: ImageName) => image.step === step.id && image.attempt === current.attempt;
  let reading: Promise<ImageRow[]> | undefined;
  const readAll = () => {
    reading ??= imagesOf(db, instance.id);
    return reading;
  };
  const ofAttempt = snapshot.images.some(isOfAttempt) ? (await readAll()).filter(isOfAttempt) : [];
  const open = (row: ImageRow): WorkImage => ({
    id: imageId(row),
    share: db.tenantId,
    contentType: row.content_type,
    sha256: row.sha256,
    read: () => readImage(deps, db, row, snapshot.dataKey),
  });
  const request: WorkRequest = {
    step,
    steps: definition.definition.steps,
    typeOf: stepTypeOf,
    attempt: current.attempt,
    state,
    images: new Map(ofAttempt.map((row) => [row.name, open(row)])),
    async image(key, name) {
      const owner = definition.definition.steps.find(
        (each) => each.key === key && Object.hasOwn(state.flow.done, each.id),
      );
      // Earlier attempts were not accepted, so only the images of the one that ended the step count.
      const attempt = owner && state.flow.done[owner.id]?.attempts;
      const isWanted = (image: ImageName) =>
        image.step === owner?.id && image.attempt === attempt && image.name === name;
      const imageRow = snapshot.images.some(isWanted) ? (await readAll()).find(isWanted) : undefined;
      return imageRow && open(imageRow);
    },
    challenge: async (id) => (await openChallenges(deps.vault).read(db, instance.id, id))?.progress,
    vision: deps.visionOf(db, snapshot),
    presentFace: (image) => deps.identity.presentFace(image, instance.environment, signal),
    instanceId: instance.id,
    environment: instance.environment,
    callHttp: (call) => deps.callHttp(db, { ...call, environment: instance.environment, actor: stepName }, signal),
    pause: (ms) => sleep(ms, undefined, { signal }),
    signal,
  };
  const { work: doWork } = stepType;
  return stepType.callsOutside ? context.outside(instance.environment, () => doWork(request)) : doWork(request);
}
