import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CHECKED_TYPES, journeys, moves } from '../../../test/random-journeys.ts';
import type { CompiledDefinition } from './compile-definition.ts';
import type { Step } from './definition.ts';
import { isFinal, type StepRecord, type Trigger } from './state.ts';

/** Properties of every journey of every definition, whatever happens in whatever order. */
const RUNS = 2000;

/**
 * The step at which the journey must be according to the records, computed by the rules of the format and not by the
 * engine.
 */
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

describe('the properties of a journey in any reachable state', () => {
  it('no input to a journey skips a step: the current step is always the one that follows from the records', () => {
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

  it('no input to a journey changes a final state', () => {
    holds((journey) => {
      for (const { before, after, refusal } of moves(journey)) {
        if (!isFinal(before.flow.status)) continue;
        assert.equal(refusal, 'ended');
        assert.equal(after, before);
      }
    });
  });

  it('no input to a journey loses data or a record, except for the steps that a reviewer requests again', () => {
    holds((journey) => {
      for (const { before, after, trigger } of moves(journey)) {
        for (const kind of ['forms', 'documents', 'faces', 'pauses'] as const) {
          for (const key of Object.keys(before.data[kind])) assert.ok(key in after.data[kind], `${kind}/${key}`);
        }
        if (trigger.type === 'askAgain') continue;
        for (const [id, record] of Object.entries(before.flow.done)) assert.deepEqual(after.flow.done[id], record);
      }
    });
  });

  it('a refused input to a journey changes nothing and has no effects', () => {
    holds((journey) => {
      for (const { before, after, refusal, effects } of moves(journey)) {
        if (refusal === undefined) continue;
        assert.equal(after, before);
        assert.equal(effects, 0);
      }
    });
  });

  it('a step with an automatic check passes only if all its findings pass', () => {
    holds((journey) => {
      for (const { before, after, trigger } of moves(journey)) {
        for (const [id, { outcome }] of Object.entries(after.flow.done)) {
          const type = journey.definition.step(id)?.type;
          if (id in before.flow.done || outcome !== 'PASSED' || !CHECKED_TYPES.includes(type ?? '')) continue;
          assert.equal(trigger.type, 'findings');
          assert.equal(before.flow.current?.anyway, undefined, 'what is used although it is poor has not passed');
          const { checks } = (trigger as Extract<Trigger, { type: 'findings' }>).findings;
          assert.ok(checks.length > 0 && checks.every(({ status }) => status === 'PASSED'));
        }
      }
    });
  });

  it('a journey is accepted only if every step passed, or the definition or a reviewer allowed it', () => {
    holds((journey) => {
      for (const { before, after, trigger } of moves(journey)) {
        if (isFinal(before.flow.status) || after.flow.status !== 'COMPLETED_ENDED_SUCCESS') continue;
        if (trigger.type === 'approve') continue;
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

  it('an input to a journey always gives the same state and effects', () => {
    holds((journey) => {
      assert.deepEqual([...moves(journey)], [...moves(journey)]);
    });
  });
});

describe('the random journeys', () => {
  it('the random journeys reach every status, so that the properties above are really tested', () => {
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
