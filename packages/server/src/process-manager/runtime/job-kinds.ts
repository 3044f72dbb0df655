import { availableParallelism } from 'node:os';
import { defineKind } from '../../jobs/define-job.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';

/** The jobs that `drive` enqueues. Their handlers are in other files, because they need `drive`. */
export type WorkPayload = { instanceId: string; step: string; attempt: number };

/** `instanceId` is the parent, whose step waits for the child. */
export type ChildPayload = { instanceId: string; step: string; childId: string };

export const WORK_STEP = defineKind<WorkPayload>({
  kind: 'process-manager.work-step',
  does: 'does the work of a step that needs no image analysis',
  maxAttempts: 5,
  backoff: { firstMs: 2 * SECOND, mostMs: MINUTE },
  timeoutMs: 5 * MINUTE,
});

/** The work of live steps that analyse pictures. */
export const LOOK_STEP = defineKind<WorkPayload>({
  ...WORK_STEP,
  kind: 'process-manager.look',
  does: 'analyses the pictures of a step, for live instances',
  role: 'vision',
  // Short, because an end user waits, and pictures that are analysed twice have the same findings.
  leaseMs: 4 * SECOND,
  // A server that hangs loses the job and an attempt, so there are more attempts. Failures end the work after as many as above.
  maxAttempts: 20,
  atOnce: availableParallelism(),
});

export const START_CHILD = defineKind<ChildPayload>({
  kind: 'process-manager.start-child',
  does: 'starts the journey of a subprocess',
  maxAttempts: 5,
  backoff: { firstMs: 2 * SECOND, mostMs: MINUTE },
  timeoutMs: MINUTE,
});
