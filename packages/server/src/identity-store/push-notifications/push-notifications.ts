import { api } from '@grove/contract';
import type { Db, TenantReads, TenantTx } from '../../db/db.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getStore } from '../stores/find-store.ts';
import { getUser, givenUserRef, type UserRow } from '../users/find-user.ts';
import {
  activePushes,
  endPushesOf,
  findPush,
  findPushForUpdate,
  type PushRow,
  removeOldPushes,
  setPushStatus,
} from './push-notifications.repository.ts';
import { type PushPolicyDeps, pushPolicyHandlers } from './push-policies.ts';
import { mayBecome, type PushStatus, statusAt } from './push-rules.ts';
import { type SendDeps, type StartProcess, sending } from './send-notification.ts';
import { contentOf, type SendPushDeps, sendPushJob } from './send-push.ts';
import { type PushNotification, toPushNotification } from './to-push-notification.ts';

/** Push notifications to the devices that hold a user's appkeys (specification 4.10). */
export type PushNotificationsDeps = Pick<PushPolicyDeps, 'faultOfAddress'> &
  Pick<SendPushDeps, 'push'> & {
    db: Db;
    jobs: Jobs;
    everyTenantId(): AsyncIterable<TenantId>;
    startProcess: StartProcess;
    findParent: SendDeps['findParent'];
    /** Lets an instance go on that waits; nothing if it waits no more. */
    resumeInstance(tx: TenantTx, instanceId: string, variables: Readonly<Record<string, string>>): Promise<void>;
  };

export function openPushNotifications(core: IdentityCore, deps: PushNotificationsDeps) {
  const { vault, addIdentityEvent } = core;
  const { jobs, push, startProcess, findParent, faultOfAddress } = deps;
  const job = sendPushJob({ vault, push });
  const purge = purgePushesJob(deps);
  jobs.register(job);
  const wake = wakeParentJob(deps);
  jobs.register(purge);
  jobs.register(wake);
  jobs.schedule({ kind: purge.kind, everyMs: HOUR, key: 'hourly' });
  return {
    handlers: {
      ...pushPolicyHandlers({ vault, addIdentityEvent, faultOfAddress }),
      ...recordHandlers(core),
      send: sending({ vault, addIdentityEvent, jobs, job, startProcess, findParent }),
    },
    instanceTold: teller(jobs, wake),
  };
}

type Records = Pick<typeof api.pushNotifications, 'list' | 'get' | 'answer'>;

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
      return view(db, ofUser(await findPush(db, params.id), user), now);
    },

    async answer(context, { params, body: { status } }) {
      const { now } = context;
      return context.db.write(async (tx) => {
        const store = await getStore(tx, context, params.storeName);
        const user = await getUser(tx, store.id, givenUserRef(params));
        const row = ofUser(await findPushForUpdate(tx, params.id), user);
        if (!mayBecome(statusAt(row, now), status)) throw new ApiError(100120);
        await setPushStatus(tx, row.id, { status, reason: null, now });
        return view(tx, { ...row, status, last_updated_at: now }, now);
      });
    },
  });
}

/** One of another user is none of this one's. */
function ofUser(row: PushRow | undefined, user: UserRow): PushRow {
  if (row?.user_id !== user.id) throw new ApiError(100034);
  return row;
}

type ToldInstance = { type: string; instanceId: string; status: string; at: number };

const ENDS: Readonly<Record<string, PushStatus>> = {
  'instance.completed': 'COMPLETED',
  'instance.terminated': 'EXPIRED',
  'instance.deleted': 'EXPIRED',
};

/** Told of every event of every instance, in its transaction: the end of one ends what asked for it. */
function teller(jobs: Pick<Jobs, 'enqueue'>, wake: JobDefinition<Wake>) {
  return async (tx: TenantTx, { type, instanceId, at, status: processInstanceStatus }: ToldInstance): Promise<void> => {
    const status = ENDS[type];
    if (!status) return;
    // Each device has a record of its own, and all of them ask for one process.
    const [ended] = await endPushesOf(tx, instanceId, status, at);
    const parentId = ended?.parent_instance_id;
    if (!ended || !parentId) return;
    const variables = { pushNotificationId: ended.id, pushNotificationStatus: status, processInstanceStatus };
    await jobs.enqueue(tx, wake, { parentId, variables });
  };
}

type Wake = { parentId: string; variables: Record<string, string> };

/** By a job: the two instances are never locked in one transaction, so they cannot wait for each other. */
function wakeParentJob({ resumeInstance }: Pick<PushNotificationsDeps, 'resumeInstance'>): JobDefinition<Wake> {
  return defineJob<Wake>({
    kind: 'identity-store.wake-parent',
    maxAttempts: 10,
    backoff: { firstMs: SECOND, mostMs: 5 * MINUTE },
    timeoutMs: MINUTE,
    run: ({ parentId, variables }, { tenant }) => tenant().write((tx) => resumeInstance(tx, parentId, variables)),
  });
}

const BATCH = 500;
/** How long one can be looked at after its time. */
const KEPT_MS = 30 * 24 * HOUR;

function purgePushesJob(deps: Pick<PushNotificationsDeps, 'db' | 'everyTenantId'>): JobDefinition<object> {
  return defineJob<object>({
    kind: 'identity-store.purge-pushes',
    maxAttempts: 5,
    backoff: { firstMs: 10 * SECOND, mostMs: 5 * MINUTE },
    timeoutMs: 10 * MINUTE,
    async run(_payload, { now, signal }) {
      for await (const tenantId of deps.everyTenantId()) {
        for (let removed = BATCH; removed === BATCH; ) {
          signal.throwIfAborted();
          removed = await deps.db.of(tenantId).write((tx) => removeOldPushes(tx, now - KEPT_MS, BATCH));
        }
      }
    },
  });
}
