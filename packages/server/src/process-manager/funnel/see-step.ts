import type { TenantDb, TenantTx } from '../../db/db.ts';
import type { Current } from '../engine/state.ts';
import type { NewEvent } from '../instances/instance-events.repository.ts';
import { lockAndRead } from '../instances/lock-chain.ts';
import { type ExpectNotified, type NotifyEvents, recordEvent } from '../instances/notify-events.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import type { Snapshot } from '../runtime/drive.ts';
import { rememberStepViews, saveStepViews, stepViewIn } from './step-views.repository.ts';

/**
 * Records that the end user sees the current step. A step that was seen before is not written again, so a page may ask
 * as often as it likes.
 */
export type SeeStep = (db: TenantDb, snapshot: Snapshot, now: number) => Promise<void>;

type SeerDeps = { notifyEvents: NotifyEvents; expectNotified: ExpectNotified };

export function stepSeer({ notifyEvents, expectNotified }: SeerDeps): SeeStep {
  return async (db, { instance, state, views }, now) => {
    const { current } = state.flow;
    const view = current && views.get(current.step);
    if (current?.phase !== 'user' || (view && view.left_at === null && view.attempt >= current.attempt)) return;
    await db.write(async (tx) => {
      // Two pages of one browser may ask at the same moment.
      const locking = lockAndRead(tx, instance.id);
      expectNotified(tx);
      const { row, views } = (await locking).journey;
      rememberStepViews(tx, row.id, views);
      for (const event of await eventsOfView(tx, row, current))
        await recordEvent({ tx, notifyEvents, now }, row, event);
    });
  };
}

/** The event that the end user sees the step: none if they have seen this attempt. The caller has locked the row. */
export async function eventsOfView(
  tx: TenantTx,
  { id, status }: Pick<InstanceRow, 'id' | 'status'>,
  { step, attempt }: Current,
): Promise<NewEvent[]> {
  const before = await stepViewIn(tx, id, step);
  if (!before || before.attempt < attempt) return [{ type: 'instance.stepSeen', status, step, data: { attempt } }];
  if (before.left_at !== null) saveStepViews(tx, [{ ...before, left_at: null }]);
  return [];
}
