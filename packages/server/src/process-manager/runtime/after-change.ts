import { fromDuration } from '../../kernel/clock.ts';
import type { CompiledDefinition } from '../engine/compile-definition.ts';
import { type Effect, isFinal, type State } from '../engine/state.ts';
import type { NewEvent } from '../instances/instance-events.repository.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';

/** The instance after a change of the engine's state. In review it has no deadline. */
export function afterChange(
  before: InstanceRow,
  { flow }: State,
  { definition }: CompiledDefinition,
  now: number,
): InstanceRow {
  const { status } = flow;
  const isEnded = isFinal(status);
  const enters = status === 'REVIEW' && before.status !== 'REVIEW';
  const leaves = status !== 'REVIEW' && before.status === 'REVIEW' && !isEnded;
  return {
    ...before,
    status,
    // The start of the wait for a reviewer. A correction does not move it to the end of the queue.
    last_updated_at: status === 'REVIEW' && !enters ? before.last_updated_at : now,
    ...(isEnded && { completed_at: now, deadline_at: null, code_hash: null, code_expires_at: null }),
    ...(!isEnded && { completed_at: null }),
    ...(enters && {
      deadline_at: null,
      review_status: 'PENDING',
      review_comment: null,
      reviewer: null,
      claimed_until: null,
    }),
    ...(leaves && { deadline_at: now + fromDuration(definition.maxDuration), claimed_until: null }),
  };
}

export function eventsOf(effects: readonly Effect[], { status }: InstanceRow): NewEvent[] {
  return effects.flatMap((effect) => {
    if (effect.type !== 'event') return [];
    const { event, step, data } = effect;
    return [{ type: event, status, ...(step !== undefined && { step }), ...(data && { data }) }];
  });
}
