import type { TenantTx } from '../../db/db.ts';
import { dayOf } from '../../kernel/clock.ts';
import type { InstanceEvent } from '../../kernel/instance-event.ts';
import { rungOf } from './durations.ts';
import { addStepCounts } from './step-counts.repository.ts';
import { saveStepView, stepViewIn } from './step-views.repository.ts';

/**
 * Counts what becomes of the steps that end users were shown, in the transaction in which it does. Each instance counts
 * once for a step, however often a reviewer asks for it again.
 */
export async function countSteps(tx: TenantTx, event: InstanceEvent): Promise<void> {
  if (event.step === undefined || !COUNTED_EVENTS.has(event.type)) return;
  const view = await stepViewIn(tx, event.instanceId, event.step);
  // Machines do steps, too, and nobody is shown them.
  if (!view || view.ended_at !== null) return;
  if (event.type === 'instance.stepRetried') {
    count(tx, event, 'RETRIED');
    return;
  }
  await saveStepView(tx, { ...view, left_at: null, ended_at: event.at });
  if (event.type === 'instance.terminated') count(tx, event, 'LEFT');
  else count(tx, event, String(event.data?.outcome), rungOf(event.at - view.seen_at));
}

const COUNTED_EVENTS: ReadonlySet<string> = new Set([
  'instance.stepCompleted',
  'instance.stepRetried',
  'instance.terminated',
]);

type CountedStep = Pick<InstanceEvent, 'environment' | 'processDefnId' | 'step' | 'at'>;

export function count(tx: TenantTx, event: CountedStep, ...whats: string[]): void {
  const { environment, processDefnId: definitionId, step = '', at } = event;
  addStepCounts(
    tx,
    whats.map((what) => ({ environment, definitionId, day: dayOf(at), step, what })),
  );
}
