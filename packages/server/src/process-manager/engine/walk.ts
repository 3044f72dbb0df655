import type { Check } from '../../kernel/check.ts';
import { fromDuration } from '../../kernel/clock.ts';
import { assuranceGaps, secondFactorOf } from './assurance.ts';
import type { CompiledDefinition } from './compile-definition.ts';
import type { ConditionContext } from './conditions.ts';
import { END, type Step } from './definition.ts';
import { ExpressionError } from './expressions/expression-error.ts';
import type { Current, Effect, FinalStatus, Flow, Input, JourneyData, State, StepRecord } from './state.ts';
import type { DecisionStep, PauseStep, Verdict } from './steps/control.ts';
import { stepTypeOf } from './steps/registry.ts';

/** Moves a journey down the list of its steps. Pure, as `next-step.ts` is. */

/** The new state and effects so far, in one call of `nextStep`. */
export type Walk = {
  readonly definition: CompiledDefinition;
  readonly input: Input;
  /** Shared by all conditions of the walk, so that together they cost no more than the limit of one. */
  readonly context: ConditionContext;
  state: State;
  readonly effects: Effect[];
};
const WORK_MUST_END_MS = 60 * 60 * 1000;

/** Records the result of a step and continues with the next one. */
export function complete(walk: Walk, step: Step, record: StepRecord): void {
  const { current: _ended, ...flow } = walk.state.flow;
  walk.state = { ...walk.state, flow: { ...flow, status: 'ACTIVE', done: { ...flow.done, [step.id]: record } } };
  if (record.outcome !== 'SKIPPED') {
    const data = { outcome: record.outcome, attempts: record.attempts, ...reasonOf(record) };
    walk.effects.push({ type: 'event', event: 'instance.stepCompleted', step: step.id, data });
  }
  const following = after(walk.definition, step, record);
  if (following === END) end(walk, 'COMPLETED_ENDED_ERROR', record.reason ?? 'failed');
  else enterFrom(walk, following);
}

/** The next step after one that has ended; a number is the index of a step. */
export function after(
  definition: CompiledDefinition,
  step: Step,
  { outcome }: Pick<StepRecord, 'outcome'>,
): number | typeof END {
  if (outcome === 'FAILED') {
    const onFail = step.onFail ?? (stepTypeOf(step.type).failureEnds ? END : undefined);
    if (onFail === END) return END;
    if (onFail !== undefined) return definition.indexOf(onFail);
  }
  if (outcome === 'SKIPPED' || step.next === undefined) return definition.indexOf(step.id) + 1;
  return definition.indexOf(step.next);
}

/** Enters the first step from an index on that must be done. */
export function enterFrom(walk: Walk, index: number): void {
  const step = walk.definition.definition.steps[index];
  if (!step) {
    end(walk, 'COMPLETED_PROCESS_ERROR', 'no_end');
    return;
  }
  const record = Object.hasOwn(walk.state.flow.done, step.id) ? walk.state.flow.done[step.id] : undefined;
  if (record) {
    const following = after(walk.definition, step, record);
    if (following === END) end(walk, 'COMPLETED_ENDED_ERROR', record.reason ?? 'failed');
    else enterFrom(walk, following);
    return;
  }
  let applies = true;
  try {
    applies = step.when === undefined || holds(walk, step, step.when, '/when');
  } catch (error) {
    endUntold(walk, step, error);
    return;
  }
  if (applies) enter(walk, step);
  else complete(walk, step, { outcome: 'SKIPPED', attempts: 0 });
}

/** Throws an error that names the rule if the condition has no value. */
function holds(walk: Walk, step: Step, text: string, pointer: string): boolean {
  try {
    return walk.definition.holds(text, walk.state, walk.context);
  } catch (error) {
    const { name = 'Error' } = error as Error;
    const reported =
      error instanceof ExpressionError ? error : new ExpressionError(`cannot be evaluated: ${name}`, text);
    reported.rule = `/steps/${walk.definition.indexOf(step.id)}${pointer}`;
    throw reported;
  }
}

/** A condition has no value: ends the journey, because guessing could skip a check or ask for something unwanted. */
function endUntold(walk: Walk, step: Step, error: unknown): void {
  if (!(error instanceof ExpressionError)) throw error;
  const { reason, rule, part, message } = error;
  end(walk, 'COMPLETED_PROCESS_ERROR', reason, step.id, { rule, name: part, problem: message });
}

function enter(walk: Walk, step: Step): void {
  const { now } = walk.input;
  const { kind, act } = stepTypeOf(step.type);
  const attempt = earlierAttempts(walk.state, step.id) + 1;
  const entry = { step: step.id, attempt, enteredAt: now };
  if (kind === 'user') setCurrent(walk, takeSuspended(walk, step) ?? userCurrent(walk, step, attempt));
  else if (kind === 'server') work(walk, step, attempt);
  else if (act === 'decide') conclude(walk, step);
  else if (act === 'notify') {
    walk.effects.push({ type: 'webhook', step: step.id, name: step.name as string });
    complete(walk, step, { outcome: 'PASSED', attempts: 1 });
  } else if (act === 'review') wait(walk, 'REVIEW', { ...entry, phase: 'review' });
  else if (act === 'pause') {
    const { resumeAfter } = step as PauseStep;
    const dueAt = resumeAfter === undefined ? undefined : now + fromDuration(resumeAfter);
    wait(walk, 'PAUSED', { ...entry, phase: 'pause', ...(dueAt !== undefined && { dueAt }) });
  } else {
    const childId = walk.input.freshId;
    setCurrent(walk, { ...entry, phase: 'child', childId });
    walk.effects.push({ type: 'child', step: step.id, childId });
  }
}

/** Takes a step that was suspended during a correction. Its attempts continue. */
function takeSuspended(walk: Walk, step: Step): Current | undefined {
  const { suspended = {}, ...flow } = walk.state.flow;
  const before = Object.hasOwn(suspended, step.id) ? suspended[step.id] : undefined;
  if (!before) return undefined;
  const { [step.id]: _resumed, ...others } = suspended;
  walk.state = { ...walk.state, flow: { ...flow, ...(Object.keys(others).length > 0 && { suspended: others }) } };
  return before;
}

function conclude(walk: Walk, step: Step): void {
  let verdict: 'PASS' | 'FAIL' | 'REVIEW';
  try {
    verdict = decide(step, walk.state, (when, pointer) => holds(walk, step, when, pointer));
  } catch (error) {
    endUntold(walk, step, error);
    return;
  }
  const gaps = verdict === 'PASS' ? assuranceGaps(walk.definition.definition, walk.state) : [];
  if (gaps.length > 0) verdict = 'REVIEW';
  const isCorrected = (walk.state.flow.corrected ?? []).length > 0;
  const evaluation = verdict;
  if (isCorrected) {
    gaps.push('value_corrected');
    verdict = 'REVIEW';
  }
  const secondFactor = secondFactorOf(walk.definition.definition, walk.state.flow, walk.state.params);
  setFlow(walk, {
    decision: verdict,
    ...(gaps.length > 0 && { gaps }),
    ...(secondFactor && { secondFactor }),
    ...(isCorrected && { evaluation }),
  });
  if (verdict === 'REVIEW') {
    wait(walk, 'REVIEW', { step: step.id, attempt: 1, enteredAt: walk.input.now, phase: 'review' });
    return;
  }
  const passed = verdict === 'PASS';
  const record: StepRecord = { outcome: passed ? 'PASSED' : 'FAILED', attempts: 1 };
  setFlow(walk, { done: { ...walk.state.flow.done, [step.id]: record } });
  end(walk, passed ? 'COMPLETED_ENDED_SUCCESS' : 'COMPLETED_ENDED_ERROR', passed ? undefined : 'declined', step.id);
}

export function wait(walk: Walk, status: 'REVIEW' | 'PAUSED', current: Current): void {
  setFlow(walk, { status, current });
  walk.effects.push({
    type: 'event',
    event: status === 'REVIEW' ? 'instance.review' : 'instance.paused',
    step: current.step,
  });
}

export function work(walk: Walk, step: Step, attempt: number, more: Partial<Current> = {}): void {
  const { now } = walk.input;
  setCurrent(walk, { ...more, step: step.id, attempt, enteredAt: now, phase: 'work', dueAt: now + WORK_MUST_END_MS });
  walk.effects.push({ type: 'work', step: step.id, attempt });
}

export function userCurrent({ input: { now } }: Walk, step: Step, attempt: number): Current {
  const dueAt = step.timeout === undefined ? undefined : now + fromDuration(step.timeout);
  return { step: step.id, attempt, enteredAt: now, phase: 'user', ...(dueAt !== undefined && { dueAt }) };
}

export function end(walk: Walk, status: FinalStatus, reason?: string, step?: string, more: object = {}): undefined {
  const { current, ...flow } = walk.state.flow;
  walk.state = { ...walk.state, flow: { ...flow, status } };
  const event = status === 'COMPLETED_TERMINATED' ? 'instance.terminated' : 'instance.completed';
  const where = step ?? current?.step;
  walk.effects.push({
    type: 'event',
    event,
    ...(where && { step: where }),
    data: { status, ...(reason && { reason }), ...more },
  });
}

/** The number of attempts of a step before a reviewer asked for it again. */
export function earlierAttempts({ flow }: State, stepId: string): number {
  return flow.earlier && Object.hasOwn(flow.earlier, stepId) ? (flow.earlier[stepId] ?? 0) : 0;
}

export function currentStep(
  walk: Walk,
  phase: Current['phase'],
  id: string,
): { step: Step; current: Current } | undefined {
  const { current } = walk.state.flow;
  if (current?.phase !== phase || current.step !== id) return undefined;
  return { step: stepOf(walk, id), current };
}

export function stepOf({ definition }: Walk, id: string): Step {
  const step = definition.step(id);
  if (!step) throw new Error(`the definition has no step ${id}`);
  return step;
}

export function setFlow(walk: Walk, change: Partial<Flow>): void {
  walk.state = { ...walk.state, flow: { ...walk.state.flow, ...change } };
}

export function setCurrent(walk: Walk, current: Current): void {
  setFlow(walk, { status: 'ACTIVE', current });
}

/** Stores data: it replaces earlier data under the same keys and changes nothing else. */
export function keep(walk: Walk, more: Partial<JourneyData>): void {
  const { data } = walk.state;
  const merged: JourneyData = {
    forms: { ...data.forms, ...more.forms },
    documents: { ...data.documents, ...more.documents },
    faces: { ...data.faces, ...more.faces },
    pauses: { ...data.pauses, ...more.pauses },
    ...((more.message ?? data.message) && { message: more.message ?? data.message }),
    ...((more.corrections ?? data.corrections) && { corrections: more.corrections ?? data.corrections }),
  };
  walk.state = { ...walk.state, data: merged };
}

export function noteChecks(walk: Walk, { id }: Step, attempts: number, checks: readonly Check[]): void {
  if (checks.length === 0) return;
  const { state, effects } = walk;
  const isNoted = effects.some((effect) => effect.type === 'checks' && effect.step === id);
  const isFirst = attempts === 1 && earlierAttempts(state, id) === 0 && !Object.hasOwn(state.flow.done, id) && !isNoted;
  effects.push({ type: 'checks', step: id, attempts, checks, isFirst });
}

export function reasonOf({ reason }: { readonly reason?: string }): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/**
 * The verdict of a decision step: that of the first rule that holds, otherwise the worst outcome of the steps. A step for a
 * human, or one that was not performed, never counts as passed. `holds` evaluates a condition, with its pointer in the step,
 * and throws if it has no value.
 */
function decide(step: Step, state: State, holds: (when: string, pointer: string) => boolean): Verdict {
  const { rules = [], onAnyFailure, onUncertain } = step as DecisionStep;
  const rule = rules.find(({ when }, at) => holds(when, `/rules/${at}/when`));
  if (rule) return rule.outcome;
  const outcomes = new Set(Object.values(state.flow.done).map(({ outcome }) => outcome));
  if (outcomes.has('FAILED')) return onAnyFailure;
  if (outcomes.has('REVIEW') || outcomes.has('NOT_PERFORMED')) return onUncertain;
  return 'PASS';
}
