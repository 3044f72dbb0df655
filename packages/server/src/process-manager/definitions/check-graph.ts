import { closest } from '../../kernel/closest.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import { END } from '../engine/definition.ts';
import type { ReadStep } from './check-shape.ts';

/** Whether every step is named once and can be reached, and whether every way through the steps has an end. */
export function graphFaults(steps: readonly ReadStep[]): FieldFault[] {
  const places = placesOf(steps);
  return [...doubleIds(steps), ...doubleKeys(steps), ...jumpFaults(steps, places), ...wayFaults(steps, places)];
}

type Places = {
  /** Where the step of that id is. */
  get(id: string): number | undefined;
  /** The id that was most likely meant by one that no step has. It is asked for several times, and found once. */
  meant(id: string): string | undefined;
};

function placesOf(steps: readonly ReadStep[]): Places {
  // From the end, so that the first of two steps with one id is the one that is meant.
  const places = new Map(
    steps.toReversed().flatMap(({ step, at }) => (typeof step.id === 'string' ? [[step.id, at]] : [])),
  );
  const meant = new Map<string, string | undefined>();
  return {
    get: (id) => places.get(id),
    meant(id) {
      if (!meant.has(id)) meant.set(id, closest(id, places.keys()));
      return meant.get(id);
    },
  };
}

function doubleIds(steps: readonly ReadStep[]): FieldFault[] {
  const seen = new Map<string, number>();
  return steps.flatMap(({ step: { id }, at }) => {
    if (typeof id !== 'string') return [];
    const first = seen.get(id);
    if (first === undefined) seen.set(id, at);
    return first === undefined
      ? []
      : [
          {
            pointer: `/steps/${at}/id`,
            message: `${shown(id)} is the id of /steps/${first} already: give this step its own`,
          },
        ];
  });
}

function doubleKeys(steps: readonly ReadStep[]): FieldFault[] {
  const seen = new Map<string, string>();
  return steps.flatMap(({ step: { id, key }, type, at }) => {
    if (!type?.keeps || typeof key !== 'string') return [];
    const place = `${type.keeps.in} ${key}`;
    const first = seen.get(place);
    if (first === undefined) seen.set(place, String(id));
    const message = `${shown(key)} is the key of the step ${shown(first ?? '')} already, which keeps ${type.keeps.in}, too: give this step a key of its own`;
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
  const place = places.get(target);
  if (place === undefined) {
    const meant = places.meant(target);
    return `there is no step ${shown(target)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  }
  if (place === at) return 'would go on with the same step: a definition has no loops';
  return place < at ? `would go back to ${shown(target)}: a definition has no loops` : undefined;
}

/** Steps that cannot be reached, and ways that run past the last step. */
function wayFaults(steps: readonly ReadStep[], places: Places): FieldFault[] {
  const reached = new Set<number>(steps.length > 0 ? [0] : []);
  const faults: FieldFault[] = [];
  // Every way leads down, so one pass from the top sees each step after all that lead to it.
  for (const read of steps) {
    if (!reached.has(read.at)) {
      faults.push({
        pointer: `/steps/${read.at}`,
        message: `${unreached(steps[read.at - 1])}, so this step is never reached`,
      });
    } else {
      for (const place of waysFrom(read, places)) reached.add(place);
      faults.push(...endFaults(read, steps.length, places));
    }
  }
  return faults;
}

function waysFrom(read: ReadStep, places: Places): number[] {
  const { step, at } = read;
  const ways = step.when === undefined ? [] : [at + 1];
  if (!isDecision(read)) ways.push(meantPlace(step.next, at, places) ?? at + 1);
  const failed = meantPlace(step.onFail, at, places);
  return failed === undefined ? ways : [...ways, failed];
}

/** Where a jump leads. One that is wrong leads where it was most likely meant to. */
function meantPlace(target: unknown, at: number, places: Places): number | undefined {
  if (typeof target !== 'string') return undefined;
  const place = places.get(target) ?? places.get(places.meant(target) ?? '');
  return place !== undefined && place > at ? place : undefined;
}

function endFaults(read: ReadStep, length: number, places: Places): FieldFault[] {
  // Of a step whose type is not known nobody can tell whether it is an end.
  if (!read.type || !waysFrom(read, places).includes(length)) return [];
  const pointer = `/steps/${read.at}`;
  return isDecision(read)
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
  const name = shown(String(above.step.id));
  return isDecision(above) ? `${name} above ends the journey` : `${name} above goes on elsewhere`;
}

function isDecision({ type }: ReadStep): boolean {
  return type?.act === 'decide';
}

/** A name as it was written, whatever it holds. */
function shown(name: string): string {
  return JSON.stringify(name);
}
