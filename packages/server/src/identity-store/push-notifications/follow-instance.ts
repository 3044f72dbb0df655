import type { TenantTx } from '../../db/db.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import type { Processes } from './processes.ts';
import { endPushesOf } from './push-notifications.repository.ts';
import type { PushStatus } from './push-rules.ts';

type InstanceEvent = { type: string; instanceId: string; status: string; at: number };

const ENDS: Readonly<Record<string, PushStatus>> = {
  'instance.completed': 'COMPLETED',
  'instance.terminated': 'EXPIRED',
  'instance.deleted': 'EXPIRED',
};

/** True if the deleted instance had completed before: then its notifications have already ended. */
const hadEnded = ({ type, status }: InstanceEvent) => type === 'instance.deleted' && status.startsWith('COMPLETED_');

export type FollowDeps = {
  jobs: Pick<Jobs, 'enqueue'>;
  wake: JobDefinition<Wake>;
  closeToken: Processes['closeToken'];
};

/** Called for every event of every instance, in its transaction. When an instance ends, its notifications end too. */
export function instanceFollower({ jobs, wake, closeToken }: FollowDeps) {
  return async (tx: TenantTx, event: InstanceEvent): Promise<void> => {
    const status = ENDS[event.type];
    if (!status || hadEnded(event)) return;
    // Each device has its own notification; all of them belong to one process.
    const endedPushes = await endPushesOf(tx, { instanceId: event.instanceId, status, now: event.at });
    const one =
      endedPushes.find((each) => each.status === 'REJECTED') ??
      endedPushes.find((each) => each.status === status) ??
      endedPushes[0];
    if (!one) return;
    if (one.process_token_id !== null) await closeToken(tx, one.process_token_id, event.at);
    if (one.parent_instance_id === null) return;
    const variables = {
      pushNotificationId: one.id,
      pushNotificationStatus: one.status,
      processInstanceStatus: event.status,
    };
    await jobs.enqueue(tx, wake, { parentId: one.parent_instance_id, variables });
  };
}

export type Wake = { parentId: string; variables: Record<string, string> };

// These changes run as jobs. An ending instance is locked before its notifications. If an answer locked the two in the
// other order in one transaction, a deadlock would be possible.
const RETRIES = { maxAttempts: 10, backoff: { firstMs: SECOND, mostMs: 5 * MINUTE }, timeoutMs: MINUTE };

export function wakeParentJob({ resumeInstance }: Pick<Processes, 'resumeInstance'>): JobDefinition<Wake> {
  return defineJob<Wake>({
    kind: 'identity-store.wake-parent',
    does: 'resumes the journey that waits for a push notification when its process has ended',
    ...RETRIES,
    run: ({ parentId, variables }, { tenant }) => tenant().write((tx) => resumeInstance(tx, parentId, variables)),
  });
}

export type Abandon = { instanceId: string };

export function abandonProcessJob({ abandonInstance }: Pick<Processes, 'abandonInstance'>): JobDefinition<Abandon> {
  return defineJob<Abandon>({
    kind: 'identity-store.abandon-process',
    does: 'ends the process of a push notification that its user rejected',
    ...RETRIES,
    run: ({ instanceId }, { tenant }) => tenant().write((tx) => abandonInstance(tx, instanceId)),
  });
}
