import type { TenantDb, TenantTx } from '../../db/db.ts';
import type { Current } from '../engine/state.ts';
import { lockAndRead } from '../instances/lock-chain.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import { type ExpectEvents, recordEvent, type TellEvents } from '../instances/tell-events.ts';
import type { Applied, Snapshot } from '../runtime/drive.ts';
import { count } from './count-steps.ts';
import { saveStepView, stepViewIn } from './step-views.repository.ts';

/**
 * The step that the end user waits at is shown to them. What was shown before is not written again, so that a page may
 * ask as often as it likes.
 */
export type SeeStep = (db: TenantDb, snapshot: Snapshot, now: number) => Promise<void>;
/** The same for the step that the end user comes to in this transaction, and whose answer shows it. */
export type SeeNextStep = (tx: TenantTx, applied: Applied, now: number) => Promise<void>;

type SeeDeps = { tell: TellEvents; expectEvents: ExpectEvents };

export function stepSeer({ tell, expectEvents }: SeeDeps): { seeStep: SeeStep; seeNextStep: SeeNextStep } {
  /** The caller has locked the row. */
  const see = async (tx: TenantTx, row: InstanceRow, { step, attempt }: Current, now: number) => {
    const before = await stepViewIn(tx, row.id, step);
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
    if (!before) count(tx, { environment, processDefnId, step, at: now }, 'SEEN');
  };
  return {
    async seeStep(db, { instance, state, shownAttempts }, now) {
      const { current } = state.flow;
      if (current?.phase !== 'user' || (shownAttempts.get(current.step) ?? 0) >= current.attempt) return;
      await db.write(async (tx) => {
        // Two pages of one browser may ask at the same moment.
        const { row } = await lockAndRead(tx, instance.id, async () => expectEvents(tx, instance.id));
        await see(tx, row, current, now);
      });
    },
    async seeNextStep(tx, applied, now) {
      const { current } = (applied.refusal === undefined && applied.state?.flow) || {};
      if (applied.refusal === undefined && current?.phase === 'user') await see(tx, applied.instance, current, now);
    },
  };
}
