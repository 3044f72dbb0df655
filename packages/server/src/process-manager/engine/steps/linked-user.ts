import type { State } from '../state.ts';
import type { StoreUser } from './identity-acts.ts';
import type { JourneyStep } from './step-type.ts';

/** The user of a step of an identity store, and whether the end user has proven to be that user. Pure. */

/**
 * The user whom an earlier step added or recognised, otherwise the one in the parameters of the instance. If a user could not
 * be added, there is none: to fall back to a parameter would act for another person.
 */
export function linkedUser(journey: JourneyStep): StoreUser | undefined {
  const { state } = journey;
  const stepResults = endedSteps(journey);
  const adding = stepResults.filter(({ links }) => links === 'adds');
  if (adding.some(({ outcome }) => outcome !== 'PASSED')) return undefined;
  const linked = stepResults
    .filter(({ links, outcome }) => outcome === 'PASSED' && links !== undefined)
    .map(({ key }) => userIdAt(state, key))
    .findLast((userId) => userId !== undefined);
  if (linked !== undefined) return { userId: linked };
  const { userId, userExtId } = state.params;
  if (userId) return { userId };
  return userExtId ? { userExtId } : undefined;
}

/**
 * Whether the end user tried to prove an identity and failed. A registration after that would let a stranger in, whatever the
 * decision is afterwards.
 */
export function isUnproven(journey: JourneyStep): boolean {
  const proofs = endedSteps(journey).filter(({ proves }) => proves);
  return proofs.length > 0 && !proofs.some(({ outcome }) => outcome === 'PASSED');
}

/** Whether the end user has proven to be the user. */
export function isProven(journey: JourneyStep): boolean {
  return endedSteps(journey).some(({ proves, outcome }) => proves && outcome === 'PASSED');
}

/** The ended steps of the same store, with their records and types. */
function endedSteps({ step, steps, state: { flow }, typeOf }: JourneyStep) {
  return steps.flatMap(({ id, type, key, store }) => {
    const record = Object.hasOwn(flow.done, id) ? flow.done[id] : undefined;
    if (!record || record.outcome === 'SKIPPED' || store !== step.store) return [];
    const { proves = false, links } = typeOf(type);
    return [{ proves, links, key: key ?? '', outcome: record.outcome }];
  });
}

/** The user id in the data of the step with that key. No form of the end user can have its key. */
export function userIdAt({ data }: State, key: string): string | undefined {
  const form = Object.hasOwn(data.forms, key) ? data.forms[key] : undefined;
  return typeof form?.userId === 'string' ? form.userId : undefined;
}
