import type { TenantReads, TenantTx } from '../../db/db.ts';
import { defineKind, type JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import { isGone } from '../../kernel/errors.ts';
import { lockChain } from '../instances/lock-chain.ts';
import { type NotifyEvents, recordEvent } from '../instances/notify-events.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import type { Drive, Snapshot } from '../runtime/drive.ts';
import { findStepView, saveStepViews } from './step-views.repository.ts';

/**
 * The browser reports that the page of a step was left. It is a hint and changes nothing in the journey. Reloading a
 * page leaves it as well, so subscribers are notified only about end users who do not come back soon, once for each
 * attempt.
 */
export const COMES_BACK_WITHIN_MS = MINUTE;

export type LeftStep = { instanceId: string; step: string };
/** The caller has locked the instance. */
export type LeaveStep = (tx: TenantTx, snapshot: Snapshot, now: number) => Promise<void>;

export const REPORT_LEFT = defineKind<LeftStep>({
  kind: 'process-manager.tell-left',
  does: 'tells subscribers that an end user has left a step',
  maxAttempts: 5,
  backoff: { firstMs: SECOND, mostMs: MINUTE },
  timeoutMs: MINUTE,
});

export function stepLeaver({ jobs }: { jobs: Pick<Jobs, 'enqueue'> }) {
  const leave: LeaveStep = async (tx, { instance, state }, now) => {
    const { current } = state.flow;
    const view = current && (await findStepView(tx, { instanceId: instance.id, step: current.step }));
    if (!view || view.left_at !== null) return;
    saveStepViews(tx, [{ ...view, left_at: now }]);
    if (view.told_left >= view.attempt) return;
    const { step } = view;
    const options = { runAt: now + COMES_BACK_WITHIN_MS, uniqueKey: `${instance.id} ${step}` };
    await jobs.enqueue(tx, REPORT_LEFT, { instanceId: instance.id, step }, options);
  };
  return leave;
}

type LeftJobDeps = { drive: Pick<Drive, 'lookAt'>; notifyEvents: NotifyEvents; jobs: Pick<Jobs, 'enqueue'> };

export function reportLeftJob(deps: LeftJobDeps): JobDefinition<LeftStep> {
  return {
    ...REPORT_LEFT,
    async run({ instanceId, step }, { tenant, now }) {
      const db = tenant();
      if (!(await viewToReport(db, instanceId, step))) return;
      await db
        .write(async (tx) => {
          const row = (await lockChain(tx, instanceId)).at(-1) as InstanceRow;
          const view = await viewToReport(tx, instanceId, step);
          const { current } = (await deps.drive.lookAt(tx, instanceId))?.state.flow ?? {};
          if (!view || current?.step !== step || current.phase !== 'user') return;
          const { attempt, left_at } = view;
          const runAt = left_at + COMES_BACK_WITHIN_MS;
          if (now < runAt) {
            // The end user came back and left again while this job waited.
            const uniqueKey = `${instanceId} ${step} ${left_at}`;
            await deps.jobs.enqueue(tx, REPORT_LEFT, { instanceId, step }, { runAt, uniqueKey });
            return;
          }
          saveStepViews(tx, [{ ...view, told_left: attempt }]);
          const event = { type: 'instance.stepLeft', status: row.status, step, data: { attempt } };
          await recordEvent({ tx, notifyEvents: deps.notifyEvents, now }, row, event);
        })
        .catch(isGone);
    },
  };
}

/** The view of a step that was left, if subscribers were not notified yet. */
async function viewToReport(db: TenantReads, instanceId: string, step: string) {
  const view = await findStepView(db, { instanceId, step });
  if (view?.left_at == null || view.ended_at !== null || view.told_left >= view.attempt) return undefined;
  return { ...view, left_at: view.left_at };
}
