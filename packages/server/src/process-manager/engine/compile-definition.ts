import { type Condition, type ConditionContext, compileCondition } from './conditions.ts';
import type { Definition, Step } from './definition.ts';
import type { State } from './state.ts';

/** A definition whose conditions are parsed and ready to run. */
export type CompiledDefinition = {
  readonly id: string;
  readonly version: number;
  readonly definition: Definition;
  step(id: string): Step | undefined;
  /** The index of a step in the list. */
  indexOf(id: string): number;
  /** Whether a condition of the definition holds. Throws if it has no value, for example because a fact is missing. */
  holds(condition: string, state: State, context: ConditionContext): boolean;
};

/** A stored version. `document` is JSON. */
export type StoredDefinition = { readonly id: string; readonly version: number; readonly document: string };

export function compileDefinition({ id, version, document }: StoredDefinition): CompiledDefinition {
  const definition = JSON.parse(document) as Definition;
  const places = new Map(definition.steps.map((step, at) => [step.id, at]));
  const conditions = new Map<string, Condition>();
  const conditionOf = (text: string) => {
    const cached = conditions.get(text);
    if (cached) return cached;
    const condition = compileCondition(text);
    conditions.set(text, condition);
    return condition;
  };
  return {
    id,
    version,
    definition,
    step: (stepId) => definition.steps[places.get(stepId) ?? -1],
    indexOf: (stepId) => places.get(stepId) ?? -1,
    holds: (condition, state, context) => conditionOf(condition)(state, context),
  };
}
