import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantDb } from '../../db/db.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import type { Vision } from '../../engines/vision/vision.ts';
import { defineJob, type JobContext, type JobDefinition } from '../../jobs/define-job.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import { isGone } from '../../kernel/errors.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { CallHttp } from './call-http.ts';
import type { Drive, Look, WorkPayload } from './drive.ts';
import { type ImageRow, imagesOf } from './images.repository.ts';
import { readImage } from './read-image.ts';
import type { Findings } from './state.ts';
import { stepTypeOf } from './steps/registry.ts';
import type { WorkImage, WorkRequest } from './steps/step-type.ts';

/** The work of machines on one attempt of one step. Done at least once; the engine takes findings only once. */
export type WorkDeps = {
  drive(): Drive;
  vault: Vault;
  blobs: Blobs;
  /** The machine for live instances, and for the sandbox that which plays the scenario. */
  visionOf(look: Look, attempt: number): Vision;
  callHttp: CallHttp;
  /** Whether trying again cannot help: then the instance ends with an error at once. */
  isHopeless(error: unknown): boolean;
};

const MAX_ATTEMPTS = 5;

export function defineWorkStep(deps: WorkDeps): JobDefinition<WorkPayload> {
  return defineJob<WorkPayload>({
    kind: 'process-manager.work-step',
    maxAttempts: MAX_ATTEMPTS,
    backoff: { firstMs: 2 * SECOND, mostMs: MINUTE },
    timeoutMs: 5 * MINUTE,
    async run({ instanceId, step, attempt }, context) {
      const db = context.tenant();
      const tell = (happening: Parameters<Drive['apply']>[2]) =>
        db.write((tx) => deps.drive().apply(tx, instanceId, happening, context.now)).catch(isGone);
      const look = await deps.drive().lookAt(db, instanceId);
      const current = look?.state.flow.current;
      if (!look || current?.phase !== 'work' || current.step !== step || current.attempt !== attempt) return;
      let findings: Findings;
      try {
        findings = await work(deps, db, look, context);
      } catch (error) {
        if (!deps.isHopeless(error) && context.attempt < MAX_ATTEMPTS) throw error;
        await tell({ type: 'broke', step, attempt, reason: 'step_broke' });
        return;
      }
      await tell({ type: 'findings', step, attempt, findings });
    },
  });
}

async function work(deps: WorkDeps, db: TenantDb, look: Look, { signal }: JobContext): Promise<Findings> {
  const { state, definition, instance } = look;
  const current = state.flow.current as NonNullable<typeof state.flow.current>;
  const step = definition.step(current.step);
  const stepType = step && stepTypeOf(step.type);
  if (!step || !stepType?.work) throw new Error(`there is no work to do for step ${current.step}`);
  const stepName = `Step: ${definition.definition.name}/${step.id}`;
  const all = await imagesOf(db, instance.id);
  const open = (row: ImageRow): WorkImage => ({
    contentType: row.content_type,
    read: () => readImage(deps, db, row),
  });
  const request: WorkRequest = {
    step,
    attempt: current.attempt,
    state,
    images: new Map(
      all.filter((row) => row.step === step.id && row.attempt === current.attempt).map((row) => [row.name, open(row)]),
    ),
    async image(key, name) {
      const owner = definition.definition.steps.find(
        (each) => each.key === key && Object.hasOwn(state.flow.done, each.id),
      );
      const rows = all.filter((row) => row.step === owner?.id && row.name === name);
      const newest = rows.toSorted((one, other) => other.created_at - one.created_at)[0];
      return newest && open(newest);
    },
    vision: deps.visionOf(look, current.attempt),
    instanceId: instance.id,
    environment: instance.environment,
    callHttp: (call) => deps.callHttp(db, { ...call, environment: instance.environment, actor: stepName }, signal),
    pause: (ms) => sleep(ms, undefined, { signal }),
    signal,
  };
  return stepType.work(request);
}
