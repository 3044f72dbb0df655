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

type CachedDefinition = { readonly document: string; readonly compiled: CompiledDefinition };

const cache: BoundedMap<string, CachedDefinition> = boundedMap(MAX_KEPT, {
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
  const cached = cache.get(row.id);
  if (cached?.document === row.document) return cached.compiled;
  const compiled = compile(row);
  if (row.document.length <= MAX_KEPT_LENGTH) cache.set(row.id, { document: row.document, compiled });
  return compiled;
}

function compile({ id, version, document }: StoredDefinition): CompiledDefinition {
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
    holds: (condition, state, asking) => conditionOf(condition)(state, asking),
  };
}
