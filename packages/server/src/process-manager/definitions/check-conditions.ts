import { MAX_CONDITION_LENGTH } from '@grove/contract';
import { didYouMean } from '../../kernel/closest.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import { checkCondition, type FactShapes } from '../engine/conditions.ts';
import { ANY, NUMBER, objectOf, type Shape, TEXT, TRUTH } from '../engine/expressions/shapes.ts';
import type { KeptData } from '../engine/state.ts';
import { asFarAsReadable, type ReadStep } from './check-shape.ts';

/** The time to read a condition is proportional to its length. */
const MAX_LENGTH_OF_ALL = 40_000;
const MAX_PATTERNS = 20;

/** Ensures that conditions can be read, and refer only to facts that exist when they are evaluated. */
export function conditionFaults(steps: readonly ReadStep[]): FieldFault[] {
  const all = steps.flatMap((readStep) =>
    conditionsOf(readStep).map(({ pointer, text }) => ({ readStep, text, pointer: `/steps/${readStep.at}${pointer}` })),
  );
  const length = all.reduce((sum, { text }) => sum + text.length, 0);
  if (length > MAX_LENGTH_OF_ALL) {
    const message = `has conditions of ${length} characters in all, and may have ${MAX_LENGTH_OF_ALL}`;
    return [{ pointer: '/steps', message }];
  }
  const shapes = factShapes(steps);
  let patternsLeft = MAX_PATTERNS;
  return all.flatMap(({ readStep, text, pointer }) => {
    const { faults, refers, patterns } = checkCondition(text, shapes);
    const missing = [
      ...new Set(refers.checks.flatMap((id) => stepFault(id, readStep.at, steps))),
      ...KINDS.flatMap((kind) => [...new Set(refers[kind].flatMap((key) => keyFault(kind, key, readStep.at, steps)))]),
    ];
    patternsLeft -= patterns.length;
    if (patternsLeft < 0 && patterns.length > 0) {
      missing.push(`is one pattern too many: a definition may have ${MAX_PATTERNS} of matches`);
    }
    const unread = faults.map((fault) => `is not a condition: ${fault}`);
    return [...unread, ...missing].map((message) => ({ pointer, message }));
  });
}

type Kind = keyof KeptData;
const KINDS: readonly Kind[] = ['forms', 'documents', 'faces', 'pauses'];

const CHECK = objectOf({ passed: TRUTH, status: TEXT, reason: TEXT, score: NUMBER, attempts: NUMBER });

/** The shapes of the data that steps write. The order of the steps is checked elsewhere. */
function factShapes(steps: readonly ReadStep[]): FactShapes {
  const checks = steps.map(({ step }) => [String(step.id), CHECK] as const);
  const data = KINDS.map((kind) => {
    const writers = steps.filter(({ type }) => type?.keeps?.in === kind);
    return [kind, objectOf(Object.fromEntries(writers.map(gatheredShape)), { open: true })] as const;
  });
  return {
    checks: objectOf(Object.fromEntries(checks), { open: true }),
    data: objectOf(Object.fromEntries(data)),
  };
}

function gatheredShape({ step, type }: ReadStep): readonly [string, Shape] {
  const [shape = ANY] = asFarAsReadable(() => {
    const writtenShape = type?.keeps?.shape?.(step);
    return writtenShape && [writtenShape];
  });
  return [String(step.key), shape];
}

/** Conditions that are too long were refused already, and are not parsed. */
function conditionsOf({ step, type }: ReadStep): { pointer: string; text: string }[] {
  const own = asFarAsReadable(() => type?.conditions?.(step));
  const all = [{ pointer: '/when', text: step.when as string }, ...own];
  return all.filter(({ text }) => typeof text === 'string' && text.length > 0 && text.length <= MAX_CONDITION_LENGTH);
}

function stepFault(id: string, at: number, steps: readonly ReadStep[]): string[] {
  const target = steps.find(({ step }) => step.id === id);
  if (target && target.at < at) return [];
  const name = JSON.stringify(id);
  if (target)
    return [target.at === at ? `refers to its own step ${name}` : `refers to the step ${name}, which comes later`];
  const earlier = steps.slice(0, at).map(({ step }) => String(step.id));
  return [`refers to the step ${name}, which does not exist${didYouMean(id, earlier)}`];
}

function keyFault(kind: Kind, key: string, at: number, steps: readonly ReadStep[]): string[] {
  const keeping = steps.filter(({ type }) => type?.keeps?.in === kind);
  const writer = keeping.find(({ step }) => step.key === key);
  if (writer && writer.at < at) return [];
  const name = JSON.stringify(key);
  if (writer) return [`refers to data.${kind}.${key}, which a later step gathers`];
  const knownKeys = keeping.map(({ step }) => String(step.key));
  return [`refers to data.${kind}, where no step keeps anything under the key ${name}${didYouMean(key, knownKeys)}`];
}
