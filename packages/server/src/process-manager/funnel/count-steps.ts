import type { TenantTx } from '../../db/db.ts';
import { dayOf } from '../../kernel/clock.ts';
import type { InstanceEvent } from '../../kernel/instance-event.ts';
import type { StepView } from '../instances/step-views.table.ts';
import { rungOf } from './durations.ts';
import { addStepCounts, type StepCount } from './step-counts.repository.ts';
import { saveStepViews, stepViewIn } from './step-views.repository.ts';

/**
 * Records which steps end users see and counts the results, in the transaction of the events. An instance counts once
 * for each step, however often a reviewer asks for the step again. All events are of one instance.
 */
export async function countSteps(tx: TenantTx, events: readonly InstanceEvent[]): Promise<void> {
  const views = new Map<string, StepView>();
  const counts: StepCount[] = [];
  for (const event of events) {
    const { environment, processDefnId: definition_id, step, at } = event;
    if (step === undefined || !COUNTED_EVENTS.has(event.type)) continue;
    const before = views.get(step) ?? (await stepViewIn(tx, event.instanceId, step));
    const { view, whats } = afterEvent(before, { ...event, step });
    if (view) views.set(step, view);
    counts.push(...whats.map((what) => ({ environment, definition_id, day: dayOf(at), step, what })));
  }
  saveStepViews(tx, [...views.values()]);
  addStepCounts(tx, counts);
}

const COUNTED_EVENTS: ReadonlySet<string> = new Set([
  'instance.stepSeen',
  'instance.stepCompleted',
  'instance.stepRetried',
  'instance.terminated',
]);

function afterEvent(
  before: StepView | undefined,
  { type, instanceId, step, at, data }: InstanceEvent & { step: string },
): { view?: StepView; whats: string[] } {
  if (type === 'instance.stepSeen') {
    const first = { instance_id: instanceId, step, seen_at: at, told_left: 0, ended_at: null };
    const view = { ...(before ?? first), attempt: Number(data?.attempt), left_at: null };
    return { view, whats: before ? [] : ['SEEN'] };
  }
  // A machine may complete a step that nobody saw.
  if (!before || before.ended_at !== null) return { whats: [] };
  if (type === 'instance.stepRetried') return { whats: ['RETRIED'] };
  const view = { ...before, left_at: null, ended_at: at };
  const whats = type === 'instance.terminated' ? ['LEFT'] : [String(data?.outcome), rungOf(at - before.seen_at)];
  return { view, whats };
}
