import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CHILD_ID, definitionOf, NOW, newState } from '../../../test/engine.ts';
import type { CheckStatus } from '../../kernel/check.ts';
import { HOUR } from '../../kernel/clock.ts';
import type { CompiledDefinition } from './compile-definition.ts';
import type { Step } from './definition.ts';
import { nextStep } from './next-step.ts';
import { type Happening, isFinal, type State, type StepRecord } from './state.ts';
import { stepTypeOf } from './steps/registry.ts';

/** Whatever happens, in whatever order: what must hold of every journey of every definition. */
const RUNS = 2000;

const TYPES = [
  ...(['consent', 'face', 'document', 'switchDevice', 'duplicate', 'pause', 'subprocess', 'review'] as const),
  'decision',
] as const;
const STATUSES: CheckStatus[] = ['PASSED', 'FAILED', 'REVIEW', 'NOT_PERFORMED'];

/** Definitions as they may be stored: jumps go down, and the last step decides. */
const definitions: fc.Arbitrary<CompiledDefinition> = fc
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

const JUDGED = ['face', 'document', 'duplicate'];

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
/** A photograph that is not good enough, so that random journeys come to where it may be used. */
const poor = fc.constantFrom('blurred', 'no_document').map((reason) => ({
  checks: [{ name: 'documentQuality', type: 'document', status: 'FAILED', reason, advice: 'retry' } as const],
  pictures: [{ picture: 'front', reasons: [reason] }],
}));
const findings = fc.oneof(checks, poor);

const happenings: fc.Arbitrary<Happening> = fc.oneof(
  fc.constant<Happening>({ type: 'open' }),
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
  fc.constantFrom<Happening>({ type: 'tick' }, { type: 'approve' }, { type: 'reject' }),
  fc.constantFrom<Happening>({ type: 'resume', variables: { a: 'b' } }, { type: 'abandon' }, { type: 'expire' }),
  fc.record({
    type: fc.constant('childEnded' as const),
    childId: fc.constantFrom(CHILD_ID, 'another'),
    status: fc.constantFrom('COMPLETED_ENDED_SUCCESS' as const, 'COMPLETED_ENDED_ERROR' as const),
  }),
  fc.record({ type: fc.constant('askAgain' as const), steps: fc.array(stepIds, { maxLength: 3 }) }),
);

/** An input that fits where the journey stands, so that random journeys get somewhere. */
function fitting({ flow }: State, happening: Happening): Happening {
  const { current } = flow;
  if (!current) return happening;
  if (happening.type === 'submit') return { ...happening, step: current.step, images: ['image', 'front'] };
  if (happening.type === 'findings' || happening.type === 'broke') {
    return { ...happening, step: current.step, attempt: current.attempt };
  }
  return 'step' in happening ? { ...happening, step: current.step } : happening;
}

const journeys = fc.record({
  definition: definitions,
  params: fc.constantFrom({ go: 'yes' }, { go: 'no' }),
  inputs: fc.array(
    fc.record({ happening: happenings, fits: fc.boolean(), after: fc.constantFrom(0, 1, 10 * 60_000, 2 * HOUR) }),
    { maxLength: 40 },
  ),
});

type Move = { before: State; happening: Happening; after: State; refused: string | undefined; effects: number };

/** Every input of a journey with the states before and after it. */
function* moves({
  definition,
  params,
  inputs,
}: typeof journeys extends fc.Arbitrary<infer J> ? J : never): Generator<Move> {
  let state = newState(params);
  let now = NOW;
  for (const { happening, fits, after } of inputs) {
    now += after;
    const given = fits ? fitting(state, happening) : happening;
    const frozen = JSON.stringify(state);
    const next = nextStep(definition, state, { ...given, now, freshId: CHILD_ID });
    assert.equal(JSON.stringify(state), frozen, 'the state that was given is never changed');
    const reached = next.refused === undefined ? next.state : state;
    const effects = next.refused === undefined ? next.effects.length : 0;
    yield { before: state, happening: given, after: reached, refused: next.refused, effects };
    state = reached;
  }
}

/** Where the records say that the journey must stand: told by the rules of the format, not by the engine. */
function placeByRules(definition: CompiledDefinition, done: Readonly<Record<string, StepRecord>>): string | 'ended' {
  const { steps } = definition.definition;
  for (let at = 0; at < steps.length; ) {
    const step = steps[at] as Step;
    const record = done[step.id];
    if (!record) return step.id;
    const endsByItself = step.type === 'consent' || step.type === 'review';
    const onFail = record.outcome === 'FAILED' ? (step.onFail ?? (endsByItself ? 'end' : undefined)) : undefined;
    if (step.type === 'decision' && record.outcome !== 'SKIPPED') return 'ended';
    if (onFail === 'end') return 'ended';
    const jump = onFail ?? (record.outcome === 'SKIPPED' ? undefined : step.next);
    at = jump === undefined ? at + 1 : steps.findIndex(({ id }) => id === jump);
  }
  return 'ended';
}

const holds = (property: (journey: Parameters<typeof moves>[0]) => void) =>
  fc.assert(fc.property(journeys, property), { numRuns: RUNS });

describe('from any reachable state', () => {
  it('no sequence of inputs skips a step: the current one is always that which the records ask for', () => {
    holds((journey) => {
      for (const { after } of moves(journey)) {
        const { status, current, done } = after.flow;
        if (status === 'PENDING' || isFinal(status)) continue;
        assert.ok(current, `${status} waits for something`);
        assert.equal(current.step, placeByRules(journey.definition, done));
        assert.ok(!(current.step in done), 'a step that has ended is not entered again');
      }
    });
  });

  it('no input revives a final state', () => {
    holds((journey) => {
      for (const { before, after, refused } of moves(journey)) {
        if (!isFinal(before.flow.status)) continue;
        assert.equal(refused, 'ended');
        assert.equal(after, before);
      }
    });
  });

  it('no input loses data, nor a record, but for the steps that a reviewer asks for again', () => {
    holds((journey) => {
      for (const { before, after, happening } of moves(journey)) {
        for (const kind of ['forms', 'documents', 'faces', 'pauses'] as const) {
          for (const key of Object.keys(before.data[kind])) assert.ok(key in after.data[kind], `${kind}/${key}`);
        }
        if (happening.type === 'askAgain') continue;
        for (const [id, record] of Object.entries(before.flow.done)) assert.deepEqual(after.flow.done[id], record);
      }
    });
  });

  it('a refused input changes nothing and asks for nothing', () => {
    holds((journey) => {
      for (const { before, after, refused, effects } of moves(journey)) {
        if (refused === undefined) continue;
        assert.equal(after, before);
        assert.equal(effects, 0);
      }
    });
  });

  it('a step that a machine judges passes only by findings that all pass', () => {
    holds((journey) => {
      for (const { before, after, happening } of moves(journey)) {
        for (const [id, { outcome }] of Object.entries(after.flow.done)) {
          const type = journey.definition.step(id)?.type;
          if (id in before.flow.done || outcome !== 'PASSED' || !JUDGED.includes(type ?? '')) continue;
          assert.equal(happening.type, 'findings');
          assert.equal(before.flow.current?.anyway, undefined, 'what is used although it is poor has not passed');
          const { checks } = (happening as Extract<Happening, { type: 'findings' }>).findings;
          assert.ok(checks.length > 0 && checks.every(({ status }) => status === 'PASSED'));
        }
      }
    });
  });

  it('a journey is accepted only if every step passed, or the definition or a reviewer let it', () => {
    holds((journey) => {
      for (const { before, after, happening } of moves(journey)) {
        if (isFinal(before.flow.status) || after.flow.status !== 'COMPLETED_ENDED_SUCCESS') continue;
        if (happening.type === 'approve') continue;
        const records = Object.entries(after.flow.done);
        const decided = records.find(([id, { outcome }]) => {
          return journey.definition.step(id)?.type === 'decision' && outcome === 'PASSED';
        });
        const step = journey.definition.step(decided?.[0] ?? '') as Step & {
          onAnyFailure: string;
          onUncertain: string;
        };
        const outcomes = records.map(([, { outcome }]) => outcome);
        if (outcomes.includes('FAILED')) assert.equal(step.onAnyFailure, 'PASS');
        else if (outcomes.some((outcome) => outcome === 'REVIEW' || outcome === 'NOT_PERFORMED')) {
          assert.equal(step.onUncertain, 'PASS');
        }
      }
    });
  });

  it('the same input gives the same state and effects', () => {
    holds((journey) => {
      assert.deepEqual([...moves(journey)], [...moves(journey)]);
    });
  });
});

describe('the random journeys', () => {
  it('reach every status, so that the properties above are about something', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(journeys, (journey) => {
        for (const { after } of moves(journey)) reached.add(after.flow.status);
      }),
      { numRuns: RUNS },
    );
    assert.deepEqual([...reached].sort(), [
      'ACTIVE',
      'COMPLETED_ENDED_ERROR',
      'COMPLETED_ENDED_SUCCESS',
      'COMPLETED_PROCESS_ERROR',
      'COMPLETED_TERMINATED',
      'PAUSED',
      'PENDING',
      'REVIEW',
    ]);
  });
});
