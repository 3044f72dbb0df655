import { assuranceGaps } from '../engine/assurance.ts';
import type { CompiledDefinition } from '../engine/compile-definition.ts';
import { conditionReads } from '../engine/conditions.ts';
import { END, type Step } from '../engine/definition.ts';
import { newBudget } from '../engine/expressions/budget.ts';
import { ExpressionError } from '../engine/expressions/expression-error.ts';
import { type Flow, NO_DATA, type State, type StepRecord } from '../engine/state.ts';
import type { DecisionStep } from '../engine/steps/control.ts';
import { stepTypeOf } from '../engine/steps/registry.ts';
import { after } from '../engine/walk.ts';
import { type RecordedCheck, rejudge } from './rejudge.ts';

/**
 * Computes the outcome of a journey under another version of its definition. It reads the results of steps and checks but no
 * personal data: if that were needed, the outcome is NOT_KNOWN. Pure.
 */
export type Outcome = 'PASS' | 'FAIL' | 'REVIEW' | 'UNFINISHED' | 'NOT_KNOWN';
export type ReplayResult = { readonly outcome: Outcome; readonly because?: string };

export type Journey = {
  /** The version of the journey. */
  readonly definition: CompiledDefinition;
  readonly flow: Flow;
  readonly checksOf: (step: string) => readonly RecordedCheck[];
};

/** The outcome without humans. If a human decided, it is REVIEW. */
export function recordedOutcome({ definition, flow }: Pick<Journey, 'definition' | 'flow'>): Outcome {
  const isReviewed = definition.definition.steps.some(
    ({ id, type }) => stepTypeOf(type).act === 'review' && isDone(flow.done, id),
  );
  if (isReviewed || flow.reviewed || flow.status === 'REVIEW') return 'REVIEW';
  if (flow.status === 'COMPLETED_ENDED_SUCCESS') return 'PASS';
  return flow.status === 'COMPLETED_ENDED_ERROR' ? 'FAIL' : 'UNFINISHED';
}

type Done = Record<string, StepRecord>;

function isDone(done: Flow['done'], id: string): boolean {
  return Object.hasOwn(done, id) && done[id]?.outcome !== 'SKIPPED';
}

export function replay(next: CompiledDefinition, journey: Journey, now: number): ReplayResult {
  const done: Done = {};
  const { steps } = next.definition;
  const isUnfinished = recordedOutcome(journey) === 'UNFINISHED';
  for (let index = 0; index < steps.length; ) {
    const step = steps[index] as Step;
    // An unfinished journey has only the steps that ended.
    if (isUnfinished && !Object.hasOwn(journey.flow.done, step.id)) return { outcome: 'UNFINISHED' };
    const applies = appliesTo(next, step, { journey, done, now });
    if (applies === 'unknown') return unknown(`${step.id}: whether it applies depends on personal data`);
    if (applies === 'error') return { outcome: 'UNFINISHED' };
    const record: StepRecord | ReplayResult = applies
      ? recordOf(next, step, { journey, done, now })
      : { outcome: 'SKIPPED', attempts: 0 };
    if (!('attempts' in record)) return record;
    done[step.id] = record;
    const following = after(next, step, record);
    if (following === END) return { outcome: 'FAIL' };
    index = following;
  }
  return { outcome: 'UNFINISHED' };
}

const unknown = (because: string): ReplayResult => ({ outcome: 'NOT_KNOWN', because });

type At = { journey: Journey; done: Done; now: number };

/** Whether the step is entered. If its condition did not change, the record answers without personal data. */
function appliesTo(next: CompiledDefinition, step: Step, at: At): boolean | 'unknown' | 'error' {
  if (step.when === undefined) return true;
  const { definition, flow } = at.journey;
  const reads = conditionReads(step.when);
  const before = definition.step(step.id);
  const isSame = before?.when === step.when && isAsRecorded(reads.checks, at);
  if (isSame && Object.hasOwn(flow.done, step.id)) return isDone(flow.done, step.id);
  if (isSame && flow.current?.step === step.id) return true;
  if (reads.personal) return 'unknown';
  return holds(next, step.when, at);
}

/** Whether these steps have the same results as in the journey. */
function isAsRecorded(ids: readonly string[], { journey: { flow }, done }: At): boolean {
  return ids.every((id) => {
    const [one, other] = [done[id], Object.hasOwn(flow.done, id) ? flow.done[id] : undefined];
    return one?.outcome === other?.outcome && one?.reason === other?.reason && one?.score === other?.score;
  });
}

function holds(next: CompiledDefinition, condition: string, { journey: { flow }, done, now }: At): boolean | 'error' {
  const state: State = { flow: { ...flow, done }, data: NO_DATA, params: {} };
  try {
    return next.holds(condition, state, { now, budget: newBudget() });
  } catch (error) {
    if (error instanceof ExpressionError) return 'error';
    throw error;
  }
}

/** The record of the step; or the result, if the step ends the journey or is unknown. */
function recordOf(next: CompiledDefinition, step: Step, at: At): StepRecord | ReplayResult {
  const { act } = stepTypeOf(step.type);
  if (act === 'decide') return decideAgain(next, step as DecisionStep, at);
  if (act === 'review') return { outcome: 'REVIEW' };
  if (act === 'notify') return { outcome: 'PASSED', attempts: 1 };
  const { definition, flow } = at.journey;
  const before = definition.step(step.id);
  const record = isDone(flow.done, step.id) ? flow.done[step.id] : undefined;
  if (!record) return unknown(`${step.id}: nobody did this step`);
  if (before?.type !== step.type) return unknown(`${step.id}: it was another type of step`);
  return (
    rejudge(before, step, record, at.journey.checksOf) ??
    unknown(`${step.id}: the stored results do not determine the result with these settings`)
  );
}

function decideAgain(next: CompiledDefinition, step: DecisionStep, at: At): ReplayResult {
  const { flow, definition } = at.journey;
  const before = definition.step(step.id) as DecisionStep | undefined;
  const isReached = Object.hasOwn(flow.done, step.id) || flow.current?.step === step.id;
  if (before && isReached && isSameDecision(definition, next, [before, step]) && isAllAsRecorded(step, at)) {
    return { outcome: recordedOutcome(at.journey) };
  }
  const possible = possibleVerdicts(next, step, at);
  const [verdict, ...others] = possible;
  if (verdict === undefined) return { outcome: 'UNFINISHED' };
  if (others.length > 0) return unknown(`${step.id}: a rule depends on personal data`);
  return { outcome: verdict };
}

function isSameDecision(
  old: CompiledDefinition,
  next: CompiledDefinition,
  [before, step]: [DecisionStep, DecisionStep],
): boolean {
  const rulesOf = ({ rules = [], onAnyFailure, onUncertain }: DecisionStep) =>
    JSON.stringify([rules.map(({ when, outcome }) => [when, outcome]), onAnyFailure, onUncertain]);
  const gaps = ({ definition: { assurance, steps } }: CompiledDefinition) =>
    JSON.stringify([
      assurance,
      steps.map(({ id, type, liveness, passiveIsEnough }) => [id, type, liveness, passiveIsEnough]),
    ]);
  return rulesOf(before) === rulesOf(step) && gaps(old) === gaps(next);
}

/** Whether exactly the same steps ended before the decision, with the same results. */
function isAllAsRecorded(step: Step, at: At): boolean {
  const { [step.id]: _own, ...recorded } = at.journey.flow.done;
  return isAsRecorded([...new Set([...Object.keys(recorded), ...Object.keys(at.done)])], at);
}

type Verdict = 'PASS' | 'FAIL' | 'REVIEW';

/** All possible verdicts without personal data. Empty if a rule cannot be evaluated. */
function possibleVerdicts(next: CompiledDefinition, step: DecisionStep, at: At): Verdict[] {
  const verdicts = new Set<Verdict>();
  for (const { when, outcome } of step.rules ?? []) {
    const isTrue = conditionReads(when).personal ? undefined : holds(next, when, at);
    if (isTrue === 'error') return [];
    if (isTrue !== false) verdicts.add(withGaps(next, outcome, at));
    if (isTrue) return [...verdicts];
  }
  const outcomes = new Set(Object.values(at.done).map(({ outcome }) => outcome));
  const isUncertain = outcomes.has('REVIEW') || outcomes.has('NOT_PERFORMED');
  const verdict = outcomes.has('FAILED') ? step.onAnyFailure : isUncertain ? step.onUncertain : 'PASS';
  verdicts.add(withGaps(next, verdict, at));
  return [...verdicts];
}

/** Adds the gaps of the assurance level. The record has the second factor, if there was one. */
function withGaps(next: CompiledDefinition, verdict: Verdict, { journey: { flow }, done }: At): Verdict {
  if (verdict !== 'PASS') return verdict;
  const params: Record<string, string> = flow.secondFactor ? { userId: 'named' } : {};
  const state: State = { flow: { ...flow, done }, data: NO_DATA, params };
  return assuranceGaps(next.definition, state).length > 0 ? 'REVIEW' : 'PASS';
}
