import { MAX_CONDITION_LENGTH } from '@grove/contract';
import type { FieldFault } from '../../kernel/errors.ts';
import { checkCondition } from '../engine/conditions.ts';
import type { JourneyData } from '../engine/state.ts';
import { asFarAsReadable, type ReadStep } from './check-shape.ts';
import { didYouMean } from './closest.ts';

/** Whether conditions can be read, and refer only to what is there by the time they are asked. */
export function conditionFaults(steps: readonly ReadStep[]): FieldFault[] {
  return steps.flatMap((read) =>
    conditionsOf(read).flatMap(({ pointer, text }) => {
      const { faults, refers } = checkCondition(text);
      const missing = [
        ...new Set(refers.checks.flatMap((id) => stepFault(id, read.at, steps))),
        ...KINDS.flatMap((kind) => [...new Set(refers[kind].flatMap((key) => keyFault(kind, key, read.at, steps)))]),
      ];
      const unread = faults.map((fault) => `is not a condition: ${fault}`);
      return [...unread, ...missing].map((message) => ({ pointer: `/steps/${read.at}${pointer}`, message }));
    }),
  );
}

type Kind = keyof JourneyData;
const KINDS: readonly Kind[] = ['forms', 'documents', 'faces', 'pauses'];

/** Those that are too long have been refused already, and are not read. */
function conditionsOf({ step, type }: ReadStep): { pointer: string; text: string }[] {
  const own = asFarAsReadable(() => type?.conditions?.(step));
  const all = [{ pointer: '/when', text: step.when as string }, ...own];
  return all.filter(({ text }) => typeof text === 'string' && text.length > 0 && text.length <= MAX_CONDITION_LENGTH);
}

function stepFault(id: string, at: number, steps: readonly ReadStep[]): string[] {
  const found = steps.find(({ step }) => step.id === id);
  if (found && found.at < at) return [];
  const name = JSON.stringify(id);
  if (found)
    return [found.at === at ? `refers to its own step ${name}` : `refers to the step ${name}, which comes later`];
  const earlier = steps.slice(0, at).map(({ step }) => String(step.id));
  return [`refers to the step ${name}, which does not exist${didYouMean(id, earlier)}`];
}

function keyFault(kind: Kind, key: string, at: number, steps: readonly ReadStep[]): string[] {
  const keeping = steps.filter(({ type }) => type?.keeps?.in === kind);
  const found = keeping.find(({ step }) => step.key === key);
  if (found && found.at < at) return [];
  const name = JSON.stringify(key);
  if (found) return [`refers to data.${kind}.${key}, which a later step gathers`];
  const known = keeping.map(({ step }) => String(step.key));
  return [`refers to data.${kind}, where no step keeps anything under the key ${name}${didYouMean(key, known)}`];
}
