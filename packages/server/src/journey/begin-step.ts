import type { api, Body, Ok } from '@grove/contract';
import type { JourneyContext } from '../kernel/context.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { currentUserStep, ensureApplied, lockToTell } from './steps.ts';

type Beginning = Ok<typeof api.journey.beginStep>;
type BeginInput = Body<typeof api.journey.beginStep>;

/**
 * Has a step make what its page needs, such as a challenge for a passkey. If the store refuses, the step is over, and
 * why is not for a browser to know: the journey says how it goes on.
 */
export function stepBeginner(deps: JourneyDeps) {
  return (context: JourneyContext, stepId: string, { anew = false }: BeginInput = {}): Promise<Beginning> =>
    context.db.write(async (tx) => {
      const snapshot = await lockToTell(deps, tx, context);
      currentUserStep(snapshot, stepId);
      const settings = await deps.processes.beginStep(tx, snapshot, { now: context.now, anew });
      if (settings) return { begun: true, settings: { ...settings } };
      const empty = { type: 'submit', step: stepId, result: {}, images: [] } as const;
      ensureApplied(await deps.processes.drive.apply(tx, snapshot.instance.id, empty, context.now));
      return { begun: false, settings: {} };
    });
}
