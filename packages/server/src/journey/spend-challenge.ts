import type { TenantTx } from '../db/db.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Current } from '../process-manager/engine/state.ts';
import { asksForChallenge } from '../process-manager/engine/steps/registry.ts';
import type { Snapshot } from '../process-manager/runtime/drive.ts';
import type { AttemptOfStep, JourneyDeps } from './journey-deps.ts';

type Submission = { snapshot: Snapshot; current: Current; result: Readonly<Record<string, unknown>>; now: number };

/** Spends the challenge in the transaction of its answer, so that both are stored or neither. */
export async function spendChallenge(
  deps: Pick<JourneyDeps, 'processes'>,
  tx: TenantTx,
  { snapshot: look, current, result, now }: Submission,
): Promise<void> {
  const step = look.definition.step(current.step);
  const { challengeId: id } = result;
  if (!step || !asksForChallenge(step)) return;
  // In the sandbox a step can be submitted without its challenge.
  if (typeof id === 'string') await deps.processes.challenges.use(tx, { ...attemptOf(look, current), id }, now);
  else if (look.root.environment === 'live') throw new ApiError(100132);
}

export function attemptOf({ instance }: Snapshot, { step, attempt }: Current): AttemptOfStep {
  return { instanceId: instance.id, step, attempt };
}
