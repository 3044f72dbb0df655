import type { Step } from './definition.ts';
import type { State } from './state.ts';
import type { DecisionStep, Verdict } from './steps/control.ts';

/**
 * What a decision step comes to: the first rule that holds, else the worst of what the steps came to. A step that was
 * for a human, or that could not be performed, never counts as passed. `holds` is asked about a condition and its place in
 * the step, and throws if it cannot be told.
 */
export function decide(step: Step, state: State, holds: (when: string, pointer: string) => boolean): Verdict {
  const { rules = [], onAnyFailure, onUncertain } = step as DecisionStep;
  const rule = rules.find(({ when }, at) => holds(when, `/rules/${at}/when`));
  if (rule) return rule.outcome;
  const outcomes = new Set(Object.values(state.flow.done).map(({ outcome }) => outcome));
  if (outcomes.has('FAILED')) return onAnyFailure;
  if (outcomes.has('REVIEW') || outcomes.has('NOT_PERFORMED')) return onUncertain;
  return 'PASS';
}
