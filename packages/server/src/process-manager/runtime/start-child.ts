import type { JobDefinition } from '../../jobs/define-job.ts';
import { isGone } from '../../kernel/errors.ts';
import type { Drive } from './drive.ts';
import { type ChildPayload, START_CHILD } from './job-kinds.ts';

/** Starts a child in a transaction of its own: one that makes many instances holds up all other writers. */
export function startChildJob(drive: Drive): JobDefinition<ChildPayload> {
  return {
    ...START_CHILD,
    async run(child, { tenant, now, attempt }) {
      const db = tenant();
      try {
        await db.write((tx) => drive.startChild(tx, child, now)).catch(isGone);
      } catch (error) {
        if (attempt < START_CHILD.maxAttempts) throw error;
        const happening = { type: 'childEnded', childId: child.childId, status: 'COMPLETED_PROCESS_ERROR' } as const;
        await db.write((tx) => drive.apply(tx, child.instanceId, happening, now)).catch(isGone);
      }
    },
  };
}
