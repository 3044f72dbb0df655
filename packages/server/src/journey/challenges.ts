import type { api, Ok } from '@grove/contract';
import { toDtm } from '../kernel/clock.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { asksForChallenge } from '../process-manager/engine/steps/face.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { attemptOf } from './spend-answered.ts';
import { currentUserStep, lockJourney } from './steps.ts';

type Challenge = Ok<typeof api.journey.createChallenge>;

/** What to do before the camera, for the attempt that is under way. */
export function challengeCreator(deps: JourneyDeps) {
  return (context: JourneyContext, stepId: string): Promise<Challenge> =>
    context.db.write(async (tx) => {
      const look = await lockJourney(deps, tx, context);
      const current = currentUserStep(look, stepId);
      const step = look.definition.step(stepId);
      if (!step || !asksForChallenge(step)) throw new ApiError(100130);
      const { nonce, poses, expiresAt } = await deps.drawChallenge(tx, attemptOf(look, current), context.now);
      return { nonce, poses: [...poses], expiringDtm: toDtm(expiresAt) };
    });
}
