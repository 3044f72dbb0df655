import { closest } from '../../kernel/closest.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import { END } from '../engine/definition.ts';
import type { ReadStep } from './check-shape.ts';

/** Ensures that each step has a unique id and can be reached, and that every way through the steps ends. */
export function graphFaults(steps: readonly ReadStep[]): FieldFault[] {
  const places = placesOf(steps);
  return [...doubleIds(steps), ...doubleKeys(steps), ...jumpFaults(steps, places), ...wayFaults(steps, places)];
}

type Places = {
  /** The index of the step with that id. */
  get(id: string): number | undefined;
  /** The suggestion for an unknown id. The result is cached. */
  closest(id: string): string | undefined;
};

function placesOf(steps: readonly ReadStep[]): Places {
  // From the end, so that the first of two steps with one id counts.
  const places = new Map(
    steps.toReversed().flatMap(({ step, at }) => (typeof step.id === 'string' ? [[step.id, at]] : [])),
  );
  const closestIds = new Map<string, string | undefined>();
  return {
    get: (id) => places.get(id),
    closest(id) {
      if (!closestIds.has(id)) closestIds.set(id, closest(id, places.keys()));
      return closestIds.get(id);
    },
  };
}

function doubleIds(steps: readonly ReadStep[]): FieldFault[] {
  const firstIndexes = new Map<string, number>();
  return steps.flatMap(({ step: { id }, at }) => {
    if (typeof id !== 'string') return [];
    const first = firstIndexes.get(id);
    if (first === undefined) firstIndexes.set(id, at);
    return first === undefined
      ? []
      : [
          {
            pointer: `/steps/${at}/id`,
            message: `${quoted(id)} is the id of /steps/${first} already: give this step its own`,
          },
        ];
  });
}

function doubleKeys(steps: readonly ReadStep[]): FieldFault[] {
  const firstIds = new Map<string, string>();
  return steps.flatMap(({ step: { id, key }, type, at }) => {
    if (!type?.keeps || typeof key !== 'string') return [];
    const slot = `${type.keeps.in} ${key}`;
    const first = firstIds.get(slot);
    if (first === undefined) firstIds.set(slot, String(id));
    const message = `${quoted(key)} is the key of the step ${quoted(first ?? '')} already, which keeps ${type.keeps.in}, too: give this step a key of its own`;
    return first === undefined ? [] : [{ pointer: `/steps/${at}/key`, message }];
  });
}

function jumpFaults(steps: readonly ReadStep[], places: Places): FieldFault[] {
  return steps.flatMap(({ step, at }) =>
    (['next', 'onFail'] as const).flatMap((member) => {
      const target = step[member];
      if (typeof target !== 'string' || (member === 'onFail' && target === END)) return [];
      const message = jumpFault(target, at, places);
      return message === undefined ? [] : [{ pointer: `/steps/${at}/${member}`, message }];
    }),
  );
}

function jumpFault(target: string, at: number, places: Places): string | undefined {
  if (target === END) return 'must be a step: a journey ends well only with a decision, and onFail alone can be end';
  const targetIndex = places.get(target);
  if (targetIndex === undefined) {
    const suggestion = places.closest(target);
    return `there is no step ${quoted(target)}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
  }
  if (targetIndex === at) return 'would go on with the same step: a definition has no loops';
  return targetIndex < at ? `would go back to ${quoted(target)}: a definition has no loops` : undefined;
}

/** Faults of steps that cannot be reached, and of ways that continue after the last step. */
function wayFaults(steps: readonly ReadStep[], places: Places): FieldFault[] {
  const reached = new Set<number>(steps.length > 0 ? [0] : []);
  const faults: FieldFault[] = [];
  // Every way leads down, so one pass from the top visits each step after all steps that lead to it.
  for (const readStep of steps) {
    if (!reached.has(readStep.at)) {
      faults.push({
        pointer: `/steps/${readStep.at}`,
        message: `${unreached(steps[readStep.at - 1])}, so this step is never reached`,
      });
    } else {
      for (const index of waysFrom(readStep, places)) reached.add(index);
      faults.push(...endFaults(readStep, steps.length, places));
    }
  }
  return faults;
}

function waysFrom(readStep: ReadStep, places: Places): number[] {
  const { step, at } = readStep;
  const ways = step.when === undefined ? [] : [at + 1];
  if (!isDecision(readStep)) ways.push(meantPlace(step.next, at, places) ?? at + 1);
  const failed = meantPlace(step.onFail, at, places);
  return failed === undefined ? ways : [...ways, failed];
}

/** The index of the target of a jump; for a wrong target, that of its suggestion. */
function meantPlace(target: unknown, at: number, places: Places): number | undefined {
  if (typeof target !== 'string') return undefined;
  const index = places.get(target) ?? places.get(places.closest(target) ?? '');
  return index !== undefined && index > at ? index : undefined;
}

function endFaults(readStep: ReadStep, length: number, places: Places): FieldFault[] {
  // A step of an unknown type may or may not be an end.
  if (!readStep.type || !waysFrom(readStep, places).includes(length)) return [];
  const pointer = `/steps/${readStep.at}`;
  return isDecision(readStep)
    ? [
        {
          pointer: `${pointer}/when`,
          message:
            'leaves the journey without an end if it is false: the last step must be a decision without a condition',
        },
      ]
    : [{ pointer, message: 'is the last step, and the journey has no end: add a decision below it' }];
}

function unreached(above: ReadStep | undefined): string {
  if (!above) return 'nothing leads here';
  const name = quoted(String(above.step.id));
  return isDecision(above) ? `${name} above ends the journey` : `${name} above goes on elsewhere`;
}

function isDecision({ type }: ReadStep): boolean {
  return type?.act === 'decide';
}

/** A name in quotes, with its special characters escaped. */
function quoted(name: string): string {
  return JSON.stringify(name);
}
