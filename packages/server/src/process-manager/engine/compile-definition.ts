import { type BoundedMap, boundedMap } from '../../kernel/bounded-map.ts';
import { type Asking, type Condition, compileCondition } from './conditions.ts';
import type { Definition, Step } from './definition.ts';
import type { State } from './state.ts';

/** A definition whose conditions have been read once, ready to be run. */
export type CompiledDefinition = {
  readonly id: string;
  readonly version: number;
  readonly definition: Definition;
  step(id: string): Step | undefined;
  /** The place of a step in the list. */
  indexOf(id: string): number;
  /** Whether a condition of the definition holds. Throws if it cannot be told, for example because a value is missing. */
  holds(condition: string, state: State, asking: Asking): boolean;
};

const MAX_KEPT = 1000;
/** In characters. Longer documents are rare, and are compiled at each use. */
const MAX_KEPT_LENGTH = 100_000;
/** In characters of all documents together. A condition takes ten times as much memory as its text. */
const MAX_KEPT_CHARACTERS = 10_000_000;

type Kept = { readonly document: string; readonly compiled: CompiledDefinition };

const kept: BoundedMap<string, Kept> = boundedMap(MAX_KEPT, {
  max: MAX_KEPT_CHARACTERS,
  of: ({ document }) => document.length,
});

/** What is stored of a version. `document` is JSON. */
export type StoredDefinition = { readonly id: string; readonly version: number; readonly document: string };

/**
 * Journeys need their definition at every request, so it is kept. What is kept counts only for the very same document:
 * an editable version may have changed, and a deployment may have been rolled back.
 */
export function compileDefinition(row: StoredDefinition): CompiledDefinition {
  const known = kept.get(row.id);
  if (known?.document === row.document) return known.compiled;
  const compiled = compile(row);
  if (row.document.length <= MAX_KEPT_LENGTH) kept.set(row.id, { document: row.document, compiled });
  return compiled;
}

function compile({ id, version, document }: StoredDefinition): CompiledDefinition {
  const definition = JSON.parse(document) as Definition;
  const places = new Map(definition.steps.map((step, at) => [step.id, at]));
  const conditions = new Map<string, Condition>();
  const conditionOf = (text: string) => {
    const known = conditions.get(text);
    if (known) return known;
    const made = compileCondition(text);
    conditions.set(text, made);
    return made;
  };
  return {
    id,
    version,
    definition,
    step: (stepId) => definition.steps[places.get(stepId) ?? -1],
    indexOf: (stepId) => places.get(stepId) ?? -1,
    holds: (condition, state, asking) => conditionOf(condition)(state, asking),
  };
}
