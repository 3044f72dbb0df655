import { MAX_INPUT_ERRORS } from '@grove/contract';
import type { FieldFault } from '../../kernel/errors.ts';
import type { Definition } from '../engine/definition.ts';
import { type MissingLanguages, missingLanguages } from '../engine/steps/local-text.ts';
import type { Reference } from '../engine/steps/step-type.ts';
import { conditionFaults } from './check-conditions.ts';
import { graphFaults } from './check-graph.ts';
import { gatheredFaults, type Lookup, missingFaults, outsideReferences, themeReferences } from './check-references.ts';
import { asFarAsReadable, checkShape, type ReadStep } from './check-shape.ts';

/** The result of checking a document. */
export type CheckResult = {
  /** The definition with all defaults; undefined if there are faults. */
  readonly definition?: Definition;
  /** Faults of the document itself. */
  readonly faults: readonly FieldFault[];
  /** Steps that this release does not support: such a document can be stored, but not deployed. */
  readonly unavailable: readonly FieldFault[];
  /** Objects of the tenant that must exist before a deployment. */
  readonly references: readonly Reference[];
  readonly name: string;
  /** Texts without some of the languages of the journey, which is not a fault. */
  readonly missingLanguages: readonly MissingLanguages[];
};

export function checkDefinition(input: unknown): CheckResult {
  const { document, steps, faults: ofShape } = checkShape(input);
  const faults = firstFaults([...ofShape, ...graphFaults(steps), ...conditionFaults(steps), ...gatheredFaults(steps)]);
  return {
    faults,
    unavailable: unavailableFaults(steps),
    references: [...themeReferences(document), ...outsideReferences(steps)],
    name: String(document.name),
    missingLanguages: missingIn(steps),
    ...(faults.length === 0 && { definition: document as unknown as Definition }),
  };
}

/** All faults that prevent a deployment. */
export async function deploymentFaults(checked: CheckResult, lookup: Lookup): Promise<FieldFault[]> {
  const missing = await missingFaults(checked.name, checked.references, lookup);
  return firstFaults([...checked.faults, ...checked.unavailable, ...missing]);
}

function unavailableFaults(steps: readonly ReadStep[]): FieldFault[] {
  return steps.flatMap(({ at, step, type }) =>
    type?.unavailable && type.type === step.type
      ? [{ pointer: `/steps/${at}/type`, message: `${type.type} cannot be used yet: ${type.unavailable}` }]
      : [],
  );
}

function missingIn(steps: readonly ReadStep[]): MissingLanguages[] {
  return steps
    .flatMap(({ at, step, type }) =>
      asFarAsReadable(() => type?.texts?.(step)).flatMap(({ pointer, text }) =>
        missingLanguages(`/steps/${at}${pointer}`, text),
      ),
    )
    .slice(0, MAX_INPUT_ERRORS);
}

/** The faults without duplicates, in the order of the document, limited to the size of an answer. */
function firstFaults(faults: readonly FieldFault[]): FieldFault[] {
  const unique = new Map(faults.map((fault) => [`${fault.pointer} ${fault.message}`, fault]));
  return [...unique.values()].sort((one, other) => placeOf(one) - placeOf(other)).slice(0, MAX_INPUT_ERRORS);
}

/** The index of the step of a fault; -1 for the document as a whole, so that its faults come first. */
function placeOf({ pointer }: FieldFault): number {
  const stepIndex = /^\/steps\/(\d+)/.exec(pointer)?.[1];
  return stepIndex === undefined ? -1 : Number(stepIndex);
}
