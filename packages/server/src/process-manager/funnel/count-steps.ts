import type { TenantTx } from '../../db/db.ts';
import { dayOf } from '../../kernel/clock.ts';
import type { InstanceEvent } from '../../kernel/instance-event.ts';
import { rungOf } from './durations.ts';
import { countStep } from './step-counts.repository.ts';
import { type StepView, saveStepView, stepViewIn } from './step-views.repository.ts';

/**
 * Counts what becomes of the steps that end users were shown, in the transaction in which it does. Each instance counts
 * once for a step, however often a reviewer asks for it again.
 */
export async function countSteps(tx: TenantTx, event: InstanceEvent): Promise<void> {
  if (event.step === undefined || !COUNTED_EVENTS.has(event.type)) return;
  const view = await stepViewIn(tx, event.instanceId, event.step);
  // Machines do steps, too, and nobody is shown them.
  if (!view || view.ended_at !== null) return;
  if (event.type === 'instance.stepRetried') await count(tx, event, 'RETRIED');
  else if (event.type === 'instance.terminated') await countEnd(tx, event, view, 'LEFT');
  else {
    await countEnd(tx, event, view, String(event.data?.outcome));
    await count(tx, event, rungOf(event.at - view.seen_at));
  }
}

const COUNTED_EVENTS: ReadonlySet<string> = new Set([
  'instance.stepCompleted',
  'instance.stepRetried',
  'instance.terminated',
]);

async function countEnd(tx: TenantTx, event: InstanceEvent, view: StepView, what: string): Promise<void> {
  await saveStepView(tx, { ...view, left_at: null, ended_at: event.at });
  await count(tx, event, what);
}

type CountedStep = Pick<InstanceEvent, 'environment' | 'processDefnId' | 'step' | 'at'>;

export function count(tx: TenantTx, { environment, processDefnId, step = '', at }: CountedStep, what: string) {
  return countStep(tx, { environment, definitionId: processDefnId, day: dayOf(at), step, what });
}
