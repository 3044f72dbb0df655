import type { TenantDb } from '../../db/db.ts';
import { lockAndRead } from '../instances/lock-chain.ts';
import { recordEvent, type TellEvents } from '../instances/tell-events.ts';
import type { Snapshot } from '../runtime/drive.ts';
import { count } from './count-steps.ts';
import { findStepView, saveStepView } from './step-views.repository.ts';

/**
 * The step that the end user waits at is shown to them. What was shown before is not written again, so that a page may
 * ask as often as it likes.
 */
export type SeeStep = (db: TenantDb, snapshot: Snapshot, now: number) => Promise<void>;

export function stepSeer({ tell }: { tell: TellEvents }): SeeStep {
  return async (db, { instance, state, shownAttempts }, now) => {
    const { current } = state.flow;
    if (current?.phase !== 'user') return;
    const { step, attempt } = current;
    if ((shownAttempts.get(step) ?? 0) >= attempt) return;
    await db.write(async (tx) => {
      // Two pages of one browser may ask at the same moment.
      const readView = () => findStepView(tx, instance.id, step);
      const { row, value: before } = await lockAndRead(tx, instance.id, readView);
      if (before && before.attempt >= attempt) {
        if (before.left_at !== null) await saveStepView(tx, { ...before, left_at: null });
        return;
      }
      const first = { instance_id: row.id, step, seen_at: now, told_left: 0, ended_at: null };
      await saveStepView(tx, { ...(before ?? first), attempt, left_at: null });
      await recordEvent({ tx, tell, now }, row, {
        type: 'instance.stepSeen',
        status: row.status,
        step,
        data: { attempt },
      });
      const { environment, definition_id: processDefnId } = row;
      if (!before) await count(tx, { environment, processDefnId, step, at: now }, 'SEEN');
    });
  };
}
