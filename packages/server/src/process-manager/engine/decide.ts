import type { CompiledDefinition } from './compile-definition.ts';
import type { Step } from './definition.ts';
import type { State } from './state.ts';
import type { DecisionStep, Verdict } from './steps/control.ts';

/**
 * What a decision step comes to: the first rule that holds, else the worst of what the steps came to. A step that was
 * for a human, or that could not be performed, never counts as passed. Throws if a rule cannot be told.
 */
export function decide(definition: CompiledDefinition, step: Step, state: State, now: number): Verdict {
  const { rules = [], onAnyFailure, onUncertain } = step as DecisionStep;
  const rule = rules.find(({ when }) => definition.holds(when, state, now));
  if (rule) return rule.outcome;
  const outcomes = new Set(Object.values(state.flow.done).map(({ outcome }) => outcome));
  if (outcomes.has('FAILED')) return onAnyFailure;
  if (outcomes.has('REVIEW') || outcomes.has('NOT_PERFORMED')) return onUncertain;
  return 'PASS';
}
