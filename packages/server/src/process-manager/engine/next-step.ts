import type { CompiledDefinition } from './compile-definition.ts';
import { correctValue, withoutCorrections } from './correct-value.ts';
import type { Step } from './definition.ts';
import { doAgain } from './do-again.ts';
import { newBudget } from './expressions/budget.ts';
import { reopen } from './reopen.ts';
import { type Input, isFinal, type Next, type Reason, type State, type StepRecord, type Trigger } from './state.ts';
import { stepTypeOf } from './steps/registry.ts';
import { resultFaults } from './steps/result-faults.ts';
import { carryPoor, takeFindings, useAnyway } from './take-findings.ts';
import {
  complete,
  currentStep,
  end,
  enterFrom,
  keep,
  noteChecks,
  reasonOf,
  setFlow,
  stepOf,
  type Walk,
  work,
} from './walk.ts';

/**
 * The engine: computes the next state of a journey from an event. Pure: it reads no clock, no database and no random number,
 * so that every rule can be tested alone. Steps are walked from the top of the list downwards; a step that has ended is
 * entered again only if a reviewer asks for it or the end user corrects it.
 */
export function nextStep(definition: CompiledDefinition, state: State, input: Input): Next {
  if (isFinal(state.flow.status) && input.type !== 'reopen') return refuse('ended');
  const context = { now: input.now, budget: newBudget() };
  const walk: Walk = { definition, input, context, state, effects: [] };
  const refusal = react(walk, input);
  return refusal ?? { state: walk.state, effects: walk.effects };
}

type Refusal = Extract<Next, { refusal: Reason }>;

const refuse = (refusal: Reason, faults?: Refusal['faults']): Refusal => ({ refusal, ...(faults && { faults }) });

function react(walk: Walk, input: Trigger): Refusal | undefined {
  switch (input.type) {
    case 'open':
      return open(walk);
    case 'submit':
      return submit(walk, input);
    case 'useAnyway':
      return poorPictures(walk, input.step);
    case 'unable':
      return unable(walk, input.step);
    case 'findings':
      return findings(walk, input);
    case 'broke':
      return broke(walk, input);
    case 'tick':
      return tick(walk);
    case 'expire':
      return walk.state.flow.status === 'REVIEW' ? undefined : end(walk, 'COMPLETED_TERMINATED', 'timeout');
    case 'abandon':
      return walk.state.flow.status === 'REVIEW'
        ? refuse('notCurrent')
        : end(walk, 'COMPLETED_TERMINATED', 'abandoned');
    case 'cancel':
      return end(walk, 'COMPLETED_TERMINATED', 'cancelled');
    case 'resume':
      return resume(walk, input.variables);
    case 'childEnded':
      return childEnded(walk, input);
    case 'approve':
    case 'reject':
      return reviewed(walk, input.type);
    case 'askAgain':
      return askAgain(walk, input);
    case 'doAgain':
      return doAgain(walk, input.step) ? undefined : refuse('notOffered');
    case 'correctValue':
      return correctValue(walk, input);
    case 'reopen':
      return reopen(walk);
  }
}

function open(walk: Walk): undefined {
  if (walk.state.flow.status !== 'PENDING') return;
  setFlow(walk, { status: 'ACTIVE' });
  walk.effects.push({ type: 'event', event: 'instance.started' });
  enterFrom(walk, 0);
}

function submit(walk: Walk, { step: id, result, images }: Extract<Trigger, { type: 'submit' }>): Refusal | undefined {
  const at = currentStep(walk, 'user', id);
  if (!at) return refuse('notCurrent');
  if (isOver(walk)) return tick(walk);
  const { user } = stepTypeOf(at.step.type);
  if (!user) return refuse('notCurrent');
  const missing = (user.images?.(at.step) ?? []).filter(({ name, required }) => required && !images.includes(name));
  const faults = [
    ...(user.resultFaults?.(at.step, result) ?? resultFaults(resultSchema(at.step), result)),
    ...missing.map(({ name }) => ({ pointer: `/images/${name}`, message: 'is required' })),
  ];
  if (faults.length > 0) return refuse('badInput', faults);

  const answer = user.take(at.step, { result, images, data: walk.state.data });
  if (answer.data) keep(walk, answer.data);
  if (answer.outcome === 'WORK') {
    const { attempt, poor } = at.current;
    work(walk, at.step, attempt, { ...(poor && { poor }) });
    return;
  }
  if (answer.checks) noteChecks(walk, at.step, at.current.attempt, answer.checks);
  complete(walk, at.step, { outcome: answer.outcome, attempts: at.current.attempt, ...reasonOf(answer) });
}

/** Uses poor pictures, only if that was offered: otherwise the end user would never be asked for a better picture. */
function poorPictures(walk: Walk, id: string): Refusal | undefined {
  const at = currentStep(walk, 'user', id);
  if (!at) return refuse('notCurrent');
  if (isOver(walk)) return tick(walk);
  const { mayUseAnyway, attempt, fault, poor } = at.current;
  if (!mayUseAnyway) return refuse('notOffered');
  useAnyway(walk, at.step, attempt, { anyway: 'chosen', ...(fault && { fault }), ...(poor && { poor }) });
}

/** Ends a step that the end user cannot do as NOT_PERFORMED, which the decision takes into account. */
function unable(walk: Walk, id: string): Refusal | undefined {
  const at = currentStep(walk, 'user', id);
  if (!at) return refuse('notCurrent');
  if (isOver(walk)) return tick(walk);
  carryPoor(walk, at.step, at.current);
  complete(walk, at.step, { outcome: 'NOT_PERFORMED', attempts: at.current.attempt, reason: 'unable' });
}

type FindingsInput = Extract<Trigger, { type: 'findings' }>;

function findings(walk: Walk, { step: id, attempt, findings: newFindings }: FindingsInput): Refusal | undefined {
  const at = currentStep(walk, 'work', id);
  // Work is done at least once, so findings for another attempt come from work that ran twice.
  if (!at || at.current.attempt !== attempt) return refuse('notCurrent');
  takeFindings(walk, at.step, at.current, newFindings);
}

function broke(walk: Walk, { step, attempt, reason }: Extract<Trigger, { type: 'broke' }>): Refusal | undefined {
  const at = currentStep(walk, 'work', step);
  if (!at || at.current.attempt !== attempt) return refuse('notCurrent');
  end(walk, 'COMPLETED_PROCESS_ERROR', reason);
}

/** Ends the journey if its time is over, even if no timer has fired yet. */
function isOver({ state, input }: Walk): boolean {
  const { dueAt } = state.flow.current ?? {};
  return dueAt !== undefined && input.now >= dueAt;
}

function tick(walk: Walk): undefined {
  const { current } = walk.state.flow;
  if (!current || !isOver(walk)) return;
  const step = stepOf(walk, current.step);
  if (current.phase === 'pause') complete(walk, step, { outcome: 'PASSED', attempts: 1 });
  else if (current.phase === 'work') end(walk, 'COMPLETED_PROCESS_ERROR', 'work_timeout');
  else if (current.phase === 'user') end(walk, 'COMPLETED_TERMINATED', 'timeout');
}

function resume(walk: Walk, variables: Readonly<Record<string, string>>): Refusal | undefined {
  const { current } = walk.state.flow;
  if (current?.phase !== 'pause') return refuse('notPaused');
  const step = stepOf(walk, current.step);
  keep(walk, { pauses: { [step.key as string]: variables } });
  complete(walk, step, { outcome: 'PASSED', attempts: 1 });
}

type ChildEnded = Extract<Trigger, { type: 'childEnded' }>;

function childEnded(walk: Walk, { childId, status }: ChildEnded): Refusal | undefined {
  const { current } = walk.state.flow;
  if (current?.phase !== 'child' || current.childId !== childId) return refuse('notCurrent');
  const step = stepOf(walk, current.step);
  if (status === 'COMPLETED_ENDED_SUCCESS') complete(walk, step, { outcome: 'PASSED', attempts: 1 });
  else if (status === 'COMPLETED_ENDED_ERROR') {
    complete(walk, step, { outcome: 'FAILED', attempts: 1, reason: 'child_declined' });
  } else end(walk, status, 'child_ended');
}

function reviewed(walk: Walk, verdict: 'approve' | 'reject'): Refusal | undefined {
  const { current } = walk.state.flow;
  if (current?.phase !== 'review') return refuse('notInReview');
  const step = stepOf(walk, current.step);
  const approved = verdict === 'approve';
  walk.effects.push({ type: 'event', event: approved ? 'instance.approved' : 'instance.rejected', step: step.id });
  const record: StepRecord = { outcome: approved ? 'PASSED' : 'FAILED', attempts: 1, ...(!approved && REJECTED) };
  if (stepTypeOf(step.type).act !== 'decide') {
    complete(walk, step, record);
    return;
  }
  setFlow(walk, {
    done: { ...walk.state.flow.done, [step.id]: record },
    decision: approved ? 'PASS' : 'FAIL',
    reviewed: true,
  });
  end(walk, approved ? 'COMPLETED_ENDED_SUCCESS' : 'COMPLETED_ENDED_ERROR', approved ? undefined : 'rejected');
}

const REJECTED = { reason: 'rejected' } as const;

type AskAgain = Extract<Trigger, { type: 'askAgain' }>;

/**
 * Lets the end user do the named steps again. Conclusions of machines after the first of them are made again, because they
 * may depend on the replaced data.
 */
function askAgain(walk: Walk, { steps: stepIds, reason, message }: AskAgain): Refusal | undefined {
  const { current, done } = walk.state.flow;
  if (current?.phase !== 'review') return refuse('notInReview');
  const faults = stepIds.flatMap((id, at) => {
    const isUserStep = walk.definition.step(id) && Object.hasOwn(done, id) && stepTypeOf(stepOf(walk, id).type).user;
    return isUserStep ? [] : [{ pointer: `/steps/${at}`, message: 'is not a step that the end user has done' }];
  });
  if (faults.length > 0 || stepIds.length === 0) return refuse('badInput', faults);
  const first = Math.min(...stepIds.map((id) => walk.definition.indexOf(id)));
  const again = Object.keys(done).filter(
    (id) =>
      stepIds.includes(id) ||
      (walk.definition.indexOf(id) > first && stepTypeOf(stepOf(walk, id).type).user === undefined),
  );
  const { current: _current, decision: _decision, gaps: _gaps, secondFactor: _factor, ...before } = walk.state.flow;
  const flow = withoutCorrections(before, again);
  const remainingDone = Object.fromEntries(Object.entries(done).filter(([id]) => !again.includes(id)));
  const attemptCounts = Object.fromEntries(again.map((id) => [id, done[id]?.attempts ?? 0]));
  const earlier = { ...flow.earlier, ...attemptCounts };
  const askedAgain = { steps: stepIds, ...reasonOf({ ...(reason !== undefined && { reason }) }) };
  const { message: _before, ...data } = walk.state.data;
  walk.state = {
    ...walk.state,
    data: message ? { ...data, message } : data,
    flow: { ...flow, status: 'ACTIVE', done: remainingDone, earlier, askedAgain },
  };
  walk.effects.push({ type: 'forget', steps: again });
  walk.effects.push({
    type: 'event',
    event: 'instance.askedAgain',
    data: { steps: stepIds, ...(reason !== undefined && { reason }) },
  });
  enterFrom(walk, 0);
}

const schemas = new WeakMap<Step, object>();

/** The schema of a step is built once, so that it is compiled once. */
function resultSchema(step: Step): object {
  let schema = schemas.get(step);
  if (!schema) {
    schema = stepTypeOf(step.type).user?.result?.(step) ?? {};
    schemas.set(step, schema);
  }
  return schema;
}
