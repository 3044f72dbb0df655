import { api } from '@grove/contract';
import type { TenantReads } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import { definePurge, type PurgeDeps } from '../../jobs/define-purge.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { HOUR } from '../../kernel/clock.ts';
import { implement } from '../../kernel/implement.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getStore } from '../stores/find-store.ts';
import { getUser, givenUserRef } from '../users/find-user.ts';
import { answerHandler } from './answer-notification.ts';
import { abandonProcessJob, instanceFollower, wakeParentJob } from './follow-instance.ts';
import type { Processes } from './processes.ts';
import { activePushes, findPush, type PushRow, removeOldPushes } from './push-notifications.repository.ts';
import { type PushPolicyDeps, pushPolicyHandlers } from './push-policies.ts';
import { ofUser } from './push-rules.ts';
import { sendHandler } from './send-notification.ts';
import { contentOf, type SendPushDeps, sendPushJob } from './send-push.ts';
import { type PushNotification, toPushNotification } from './to-push-notification.ts';

/** Push notifications to the devices that hold a user's appkeys (specification 4.10). */
export type PushNotificationsDeps = Pick<PushPolicyDeps, 'faultOfAddress'> &
  Pick<SendPushDeps, 'push'> &
  PurgeDeps & {
    jobs: Jobs;
    processes: Processes;
  };

export function openPushNotifications(core: IdentityCore, deps: PushNotificationsDeps) {
  const { vault, addIdentityEvent } = core;
  const { jobs, push, processes, faultOfAddress } = deps;
  const { closeToken } = processes;
  const job = sendPushJob({ vault, push });
  const purge = purgePushesJob(deps);
  const wake = wakeParentJob(processes);
  const abandon = abandonProcessJob(processes);
  return {
    handlers: {
      pushNotifications: {
        ...pushPolicyHandlers({ vault, addIdentityEvent, faultOfAddress }),
        ...recordHandlers(core),
        send: sendHandler({ vault, addIdentityEvent, jobs, job, processes }),
        answer: answerHandler({ vault, addIdentityEvent, jobs, abandon, closeToken }),
      },
    },
    jobs: [job, wake, abandon, purge],
    onInstanceEvent: instanceFollower({ jobs, wake, closeToken }),
  };
}

type Records = Pick<typeof api.pushNotifications, 'list' | 'get'>;

const MAX_ACTIVE = 1000;
const MAX_ACTIVE_OF_A_DEVICE = 100;

function recordHandlers({ vault }: Pick<IdentityCore, 'vault'>) {
  const view = async (db: TenantReads, row: PushRow, now: number) =>
    toPushNotification(row, await contentOf(vault, db, row), now);

  return implement<Records>(api.pushNotifications, {
    async list(context, { params }) {
      const { db, now } = context;
      const store = await getStore(db, context, params.storeName);
      const user = await getUser(db, store.id, givenUserRef(params));
      const rows = await activePushes(db, { userId: user.id, now, limit: MAX_ACTIVE });
      const grouped = new Map<string, Map<string, PushNotification[]>>();
      for (const row of rows) {
        const devices = grouped.get(row.rp_id) ?? new Map<string, PushNotification[]>();
        const those = devices.get(row.device_id) ?? [];
        if (those.length < MAX_ACTIVE_OF_A_DEVICE) those.push(await view(db, row, now));
        grouped.set(row.rp_id, devices.set(row.device_id, those));
      }
      return Object.fromEntries([...grouped].map(([rpId, devices]) => [rpId, Object.fromEntries(devices)]));
    },

    async get(context, { params }) {
      const { db, now } = context;
      const store = await getStore(db, context, params.storeName);
      const user = await getUser(db, store.id, givenUserRef(params));
      return view(db, ofUser(await findPush(db, { id: params.id }), user.id), now);
    },
  });
}

/** How long a notification can be read after it expired. */
const KEPT_MS = 30 * 24 * HOUR;

/** Removes old notifications and their process tokens. */
function purgePushesJob(deps: PurgeDeps & { processes: Processes }): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'identity-store.purge-pushes',
      does: 'removes push notifications that ended long ago',
      recurs: { everyMs: HOUR, key: 'hourly' },
      isHistory: true,
    },
    (now) => [
      (tx, limit) => removeOldPushes(tx, { expiredBefore: now - KEPT_MS, limit }),
      (tx, limit) => deps.processes.removeTokensOver(tx, now - KEPT_MS, limit),
    ],
  );
}
