import type { Step } from '../definition.ts';
import type { State } from '../state.ts';
import type { StoreUser } from './identity-acts.ts';

/** Who a step of an identity store is about, and whether that was proven. Pure. */

type Journey = { readonly step: Step; readonly steps: readonly Step[]; readonly state: State };

const AUTHENTICATIONS: readonly string[] = ['passkeyAuthentication', 'totpAuthentication', 'faceAuthentication'];

/**
 * Whom an earlier step has added or recognised, else whom the parameters of the instance name. Where a user could not be
 * added nobody is meant: to fall back to a parameter would be to act for somebody else.
 */
export function linkedUser({ step, steps, state }: Journey): StoreUser | undefined {
  const ended = endedSteps({ step, steps, state });
  const adding = ended.filter(({ type }) => type === 'addUser');
  if (adding.some(({ outcome }) => outcome !== 'PASSED')) return undefined;
  const linked = ended
    .filter(({ type, outcome }) => outcome === 'PASSED' && (type === 'addUser' || type === 'passkeyAuthentication'))
    .map(({ key }) => userIdAt(state, key))
    .findLast((userId) => userId !== undefined);
  if (linked !== undefined) return { userId: linked };
  const { userId, userExtId } = state.params;
  if (userId) return { userId };
  return userExtId ? { userExtId } : undefined;
}

/**
 * Whether somebody tried to prove who it is and did not. What it registers then would let a stranger in, whatever the
 * decision says afterwards.
 */
export function isUnproven(journey: Journey): boolean {
  const tried = endedSteps(journey).filter(({ type }) => AUTHENTICATIONS.includes(type));
  return tried.length > 0 && !tried.some(({ outcome }) => outcome === 'PASSED');
}

/** Whether somebody has proven who it is. */
export function isProven(journey: Journey): boolean {
  return endedSteps(journey).some(({ type, outcome }) => AUTHENTICATIONS.includes(type) && outcome === 'PASSED');
}

/** Those of the same store, with how they ended. */
function endedSteps({ step, steps, state: { flow } }: Journey) {
  return steps.flatMap(({ id, type, key, store }) => {
    const record = Object.hasOwn(flow.done, id) ? flow.done[id] : undefined;
    if (!record || record.outcome === 'SKIPPED' || store !== step.store) return [];
    return [{ type, key: key ?? '', outcome: record.outcome }];
  });
}

/** What the step of that key has kept; no form of the end user can have its key. */
export function userIdAt({ data }: State, key: string): string | undefined {
  const kept = Object.hasOwn(data.forms, key) ? data.forms[key] : undefined;
  return typeof kept?.userId === 'string' ? kept.userId : undefined;
}
