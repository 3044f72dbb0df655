import { END, type Step } from './definition.ts';
import type { Reason } from './state.ts';
import { stepTypeOf } from './steps/registry.ts';
import { after, setFlow, type Walk, wait } from './walk.ts';

/**
 * Returns a decided journey to the reviewers, because the decision was wrong or new facts are known. Only the deciding step
 * is open again; all data and findings stay. Pure.
 */
export function reopen(walk: Walk): { refusal: Reason } | undefined {
  const step = decidingStep(walk);
  if (!step) return { refusal: 'notDecided' };
  const { reviewed: _reviewed, ...flow } = walk.state.flow;
  const { [step.id]: _record, ...done } = flow.done;
  walk.state = { ...walk.state, flow: { ...flow, done } };
  setFlow(walk, { ...(flow.decision && { decision: 'REVIEW' }) });
  walk.effects.push({ type: 'event', event: 'instance.reopened', step: step.id });
  wait(walk, 'REVIEW', { step: step.id, attempt: 1, enteredAt: walk.input.now, phase: 'review' });
}

/** The decision, or the review whose rejection ended the journey. */
function decidingStep({ definition, state: { flow } }: Walk): Step | undefined {
  if (flow.status !== 'COMPLETED_ENDED_SUCCESS' && flow.status !== 'COMPLETED_ENDED_ERROR') return undefined;
  return definition.definition.steps.find((step) => {
    const record = Object.hasOwn(flow.done, step.id) ? flow.done[step.id] : undefined;
    if (!record) return false;
    const { act } = stepTypeOf(step.type);
    return act === 'decide' || (act === 'review' && after(definition, step, record) === END);
  });
}
