import type { CompiledDefinition } from './compile-definition.ts';
import { withoutCorrections } from './correct-value.ts';
import type { Step } from './definition.ts';
import type { State, StepRecord } from './state.ts';
import { stepTypeOf, wantedImages } from './steps/registry.ts';
import { enterFrom, stepOf, type Walk } from './walk.ts';

/**
 * Lets the end user correct an earlier step: a form, a document, a consent. The current step is suspended with its attempts,
 * so that nobody gets new attempts by going back. Conclusions of machines after the corrected step are made again. Pure.
 */

/** The limit of corrections in a journey, because each restarts the attempts of its step. */
export const MAX_CORRECTIONS = 5;

/** The steps that the end user may do again now, in the order of the definition. */
export function correctableSteps(definition: CompiledDefinition, state: State): readonly Step[] {
  const { current, corrections = 0 } = state.flow;
  if (current?.phase !== 'user' || corrections >= MAX_CORRECTIONS) return [];
  const { steps } = definition.definition;
  const endedSteps = steps.filter(({ id }) => recordOf(state, id) !== undefined);
  // Steps before an effect outside, or before a new authenticator, stay: that effect must not depend on replaced data.
  const last = endedSteps.findLastIndex(
    ({ id, type }) => !stepTypeOf(type).repeatable && !isSkipped(recordOf(state, id)),
  );
  return endedSteps.slice(last + 1).filter((step) => isCorrectable(step, recordOf(state, step.id)));
}

function isCorrectable({ type }: Step, record: StepRecord | undefined): boolean {
  if (!record || !stepTypeOf(type).user?.correctable) return false;
  return record.outcome === 'PASSED' || record.reason === 'unable';
}

function recordOf({ flow: { done } }: State, id: string): StepRecord | undefined {
  return Object.hasOwn(done, id) ? done[id] : undefined;
}

function isSkipped(record: StepRecord | undefined): boolean {
  return record?.outcome === 'SKIPPED';
}

/** Returns false if the step cannot be done again. */
export function doAgain(walk: Walk, id: string): boolean {
  const { definition, state } = walk;
  const { current, done, earlier, suspended, corrections = 0, ...before } = state.flow;
  if (!current || !correctableSteps(definition, state).some((step) => step.id === id)) return false;
  const step = stepOf(walk, id);
  const attempts = done[id]?.attempts ?? 0;
  const index = definition.indexOf(id);
  const again = Object.keys(done).filter(
    (each) =>
      each === id ||
      (definition.indexOf(each) > index && (isSkipped(done[each]) || !stepTypeOf(stepOf(walk, each).type).user)),
  );
  walk.state = {
    ...state,
    flow: {
      ...withoutCorrections({ ...before, done }, again),
      done: Object.fromEntries(Object.entries(done).filter(([each]) => !again.includes(each))),
      earlier: { ...earlier, [id]: attempts },
      suspended: { ...suspended, [current.step]: current },
      corrections: corrections + 1,
    },
  };
  walk.effects.push({ type: 'forget', steps: again });
  // Existing photographs can be used again.
  const names = wantedImages(step).map(({ name }) => name);
  if (names.length > 0 && attempts > 0) walk.effects.push({ type: 'carry', step: id, attempt: attempts, names });
  walk.effects.push({ type: 'event', event: 'instance.stepReopened', step: id });
  enterFrom(walk, 0);
  return true;
}
