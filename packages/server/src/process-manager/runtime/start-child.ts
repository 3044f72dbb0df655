import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import { isGone } from '../../kernel/errors.ts';
import type { ChildPayload, Drive } from './drive.ts';

const MAX_ATTEMPTS = 5;

/** Starts a child in a transaction of its own: one that makes many instances holds up all other writers. */
export function startChildJob(drive: () => Drive): JobDefinition<ChildPayload> {
  return defineJob<ChildPayload>({
    kind: 'process-manager.start-child',
    does: 'starts the journey of a subprocess',
    maxAttempts: MAX_ATTEMPTS,
    backoff: { firstMs: 2 * SECOND, mostMs: MINUTE },
    timeoutMs: MINUTE,
    async run(child, { tenant, now, attempt }) {
      const db = tenant();
      try {
        await db.write((tx) => drive().startChild(tx, child, now)).catch(isGone);
      } catch (error) {
        if (attempt < MAX_ATTEMPTS) throw error;
        const ended = { type: 'childEnded', childId: child.childId, status: 'COMPLETED_PROCESS_ERROR' } as const;
        await db.write((tx) => drive().apply(tx, child.instanceId, ended, now)).catch(isGone);
      }
    },
  });
}
