import type { TenantTx } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError, isGone } from '../../kernel/errors.ts';
import { findDefinition } from '../definitions/definitions.repository.ts';
import { ensureUnredacted } from '../instances/ensure-visible.ts';
import { findInstanceForUpdate } from '../instances/process-instances.repository.ts';
import type { Drive } from './drive.ts';
import { type ChildPayload, START_CHILD } from './job-kinds.ts';

/** The port for features that run a process while an instance waits. */
export function parentProcesses(drive: Pick<Drive, 'apply'>, clock: Clock) {
  return {
    /** An instance of the other environment is treated as missing. The lock ensures that no redaction misses what names it. */
    async findParent(tx: TenantTx, environment: 'live' | 'test', instanceId: string) {
      const row = await findInstanceForUpdate(tx, instanceId);
      if (row?.environment !== environment) throw new ApiError(100022);
      ensureUnredacted(row);
      const definition = await findDefinition(tx, { id: row.definition_id });
      return {
        parentProcessInstanceId: row.id,
        parentProcessDefnId: row.definition_id,
        ...(definition && {
          parentProcessDefnName: definition.name,
          parentProcessDefnVersion: definition.version,
        }),
      };
    },
    /** Does nothing if the instance is gone or waits for something else by now. */
    async resumeInstance(tx: TenantTx, instanceId: string, variables: Readonly<Record<string, string>>): Promise<void> {
      await drive.apply(tx, instanceId, { type: 'resume', variables }, clock.now()).catch(isGone);
    },
    /** Abandons the instance for the end user. Does nothing if it is gone or has ended. */
    async abandonInstance(tx: TenantTx, instanceId: string): Promise<void> {
      await drive.apply(tx, instanceId, { type: 'abandon' }, clock.now()).catch(isGone);
    },
  };
}

/** Starts a child in a separate transaction, because one that creates many instances delays all other writers. */
export function startChildJob(drive: Drive): JobDefinition<ChildPayload> {
  return {
    ...START_CHILD,
    async run(child, { tenant, now, attempt }) {
      const db = tenant();
      try {
        await db.write((tx) => drive.startChild(tx, child, now)).catch(isGone);
      } catch (error) {
        if (attempt < START_CHILD.maxAttempts) throw error;
        const trigger = { type: 'childEnded', childId: child.childId, status: 'COMPLETED_PROCESS_ERROR' } as const;
        await db.write((tx) => drive.apply(tx, child.instanceId, trigger, now)).catch(isGone);
      }
    },
  };
}
