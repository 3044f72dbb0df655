import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CheckStatus } from '../src/kernel/check.ts';
import { HOUR } from '../src/kernel/clock.ts';
import type { CompiledDefinition } from '../src/process-manager/engine/compile-definition.ts';
import type { Step } from '../src/process-manager/engine/definition.ts';
import { nextStep } from '../src/process-manager/engine/next-step.ts';
import type { State, Trigger } from '../src/process-manager/engine/state.ts';
import { stepTypeOf } from '../src/process-manager/engine/steps/registry.ts';
import { CHILD_ID, definitionOf, NOW, newState } from './engine.ts';

/** Journeys of every kind of definition, with any inputs in any order. */
const TYPES = [
  'consent',
  'face',
  'document',
  'switchDevice',
  'duplicate',
  'pause',
  'subprocess',
  'review',
  'decision',
] as const;
const STATUSES: CheckStatus[] = ['PASSED', 'FAILED', 'REVIEW', 'NOT_PERFORMED'];

/** Definitions as they may be stored: jumps go down, and the last step decides. */
export const definitions: fc.Arbitrary<CompiledDefinition> = fc
  .array(
    fc.record({
      type: fc.constantFrom(...TYPES),
      jump: fc.option(fc.nat(), { nil: undefined }),
      onFail: fc.option(fc.nat(), { nil: undefined }),
      when: fc.option(fc.constantFrom('true', 'false', 'params.go == "yes"', 'checks.s0.passed'), { nil: undefined }),
      maxAttempts: fc.integer({ min: 1, max: 3 }),
      verdicts: fc.record({
        onAnyFailure: fc.constantFrom('PASS', 'FAIL', 'REVIEW'),
        onUncertain: fc.constantFrom('PASS', 'FAIL', 'REVIEW'),
      }),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((drafts) => {
    const below = (at: number, pick: number) => `s${at + 1 + (pick % (drafts.length - at))}`;
    const steps = drafts.map(
      ({ type, jump, onFail, when, maxAttempts, verdicts }, at): Partial<Step> => ({
        id: `s${at}`,
        type,
        ...(stepTypeOf(type).keeps && { key: `k${at}` }),
        ...(type === 'face' && { maxAttempts }),
        ...(type === 'document' && { maxAttempts, triesPerSide: maxAttempts, useAnywayAfter: 1 }),
        ...(type === 'subprocess' && { definition: 'other' }),
        ...(type === 'pause' && { resumeAfter: 'PT5M' }),
        ...(type === 'decision' && verdicts),
        ...(when !== undefined && at > 0 && { when }),
        ...(jump !== undefined && type !== 'decision' && { next: below(at, jump) }),
        ...(onFail !== undefined && { onFail: onFail % 4 === 0 ? 'end' : below(at, onFail) }),
      }),
    );
    return definitionOf(...steps, { id: `s${drafts.length}`, type: 'decision' });
  });

export const CHECKED_TYPES = ['face', 'document', 'duplicate'];

const stepIds = fc.nat({ max: 8 }).map((at) => `s${at}`);
const checks = fc
  .array(
    fc.record({
      name: fc.constantFrom('one', 'two'),
      type: fc.constant('face' as const),
      status: fc.constantFrom(...STATUSES),
      advice: fc.constantFrom('retry' as const, 'final' as const),
    }),
    { maxLength: 3 },
  )
  .map((all) => ({ checks: all }));
/** A poor photograph, so that random journeys come to where it may be used. */
const poor = fc.constantFrom('blurred', 'no_document').map((reason) => ({
  checks: [{ name: 'documentQuality', type: 'document', status: 'FAILED', reason, advice: 'retry' } as const],
  pictures: [{ picture: 'front', reasons: [reason] }],
}));
const findings = fc.oneof(checks, poor);

export const happenings: fc.Arbitrary<Trigger> = fc.oneof(
  fc.constant<Trigger>({ type: 'open' }),
  fc.record({
    type: fc.constant('submit' as const),
    step: stepIds,
    result: fc.constantFrom({}, { accepted: true }, { accepted: false }, { accepted: 1 }),
    images: fc.constantFrom([], ['image']),
  }),
  fc.record({ type: fc.constantFrom('unable' as const, 'useAnyway' as const), step: stepIds }),
  fc.record({
    type: fc.constant('findings' as const),
    step: stepIds,
    attempt: fc.integer({ min: 1, max: 3 }),
    findings,
  }),
  fc.record({
    type: fc.constant('broke' as const),
    step: stepIds,
    attempt: fc.integer({ min: 1, max: 3 }),
    reason: fc.constant('broke'),
  }),
  fc.constantFrom<Trigger>({ type: 'tick' }, { type: 'approve' }, { type: 'reject' }),
  fc.constantFrom<Trigger>({ type: 'resume', variables: { a: 'b' } }, { type: 'abandon' }, { type: 'expire' }),
  fc.record({
    type: fc.constant('childEnded' as const),
    childId: fc.constantFrom(CHILD_ID, 'another'),
    status: fc.constantFrom('COMPLETED_ENDED_SUCCESS' as const, 'COMPLETED_ENDED_ERROR' as const),
  }),
  fc.record({ type: fc.constant('askAgain' as const), steps: fc.array(stepIds, { maxLength: 3 }) }),
);

/** An input that fits the current step, so that random journeys make progress. */
function fitting({ flow }: State, trigger: Trigger): Trigger {
  const { current } = flow;
  if (!current) return trigger;
  if (trigger.type === 'submit') return { ...trigger, step: current.step, images: ['image', 'front'] };
  if (trigger.type === 'findings' || trigger.type === 'broke') {
    return { ...trigger, step: current.step, attempt: current.attempt };
  }
  return 'step' in trigger ? { ...trigger, step: current.step } : trigger;
}

export const journeys = fc.record({
  definition: definitions,
  params: fc.constantFrom({ go: 'yes' }, { go: 'no' }),
  inputs: fc.array(
    fc.record({ trigger: happenings, fits: fc.boolean(), after: fc.constantFrom(0, 1, 10 * 60_000, 2 * HOUR) }),
    { maxLength: 40 },
  ),
});

export type Move = { before: State; trigger: Trigger; after: State; refusal: string | undefined; effects: number };

/** Every input of a journey with the states before and after it. */
export function* moves({
  definition,
  params,
  inputs,
}: typeof journeys extends fc.Arbitrary<infer J> ? J : never): Generator<Move> {
  let state = newState(params);
  let now = NOW;
  for (const { trigger, fits, after } of inputs) {
    now += after;
    const input = fits ? fitting(state, trigger) : trigger;
    const frozen = JSON.stringify(state);
    const next = nextStep(definition, state, { ...input, now, freshId: CHILD_ID });
    assert.equal(JSON.stringify(state), frozen, 'the state that was given is never changed');
    const reached = next.refusal === undefined ? next.state : state;
    const effects = next.refusal === undefined ? next.effects.length : 0;
    yield { before: state, trigger: input, after: reached, refusal: next.refusal, effects };
    state = reached;
  }
}
