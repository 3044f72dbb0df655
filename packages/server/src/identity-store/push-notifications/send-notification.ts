import type { api, Body, Ok } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { actor } from '../../kernel/actor.ts';
import { SECOND } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/implement.ts';
import { newNumber, numbersFor } from '../../kernel/number-choice.ts';
import type { StartedProcess } from '../../kernel/process-request.ts';
import { getConfig } from '../appkeys/configs.ts';
import { type DeviceRow, devicesOf } from '../appkeys/devices.repository.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore, type Store } from '../stores/find-store.ts';
import { getUserForUpdate, givenUserRef, type UserRow, userSubject } from '../users/find-user.ts';
import type { ParentProcess, Processes } from './processes.ts';
import { addPush, countSends, type PushRow } from './push-notifications.repository.ts';
import { getPushPolicy, type PushPolicy } from './push-policies.ts';
import { LIFE_MS, MAX_SENDS, SENDS_WITHIN_MS } from './push-rules.ts';
import { contentContext, type PushContent } from './send-push.ts';
import { type PushNotification, toPushNotification } from './to-push-notification.ts';

type Input = Body<typeof api.pushNotifications.send>;

export type SendDeps = Pick<IdentityCore, 'vault' | 'addIdentityEvent'> & {
  jobs: Pick<Jobs, 'enqueue'>;
  job: JobDefinition<{ id: string }>;
  processes: Pick<Processes, 'startProcess' | 'findParent'>;
};

type SendRequest = {
  store: Store;
  user: UserRow;
  policy: PushPolicy;
  input: Input;
  devices: DeviceRow[];
  parent: ParentProcess | undefined;
  by: string;
  now: number;
};
type SendAnswer = Ok<typeof api.pushNotifications.send>;

export function sendHandler(deps: SendDeps): Handlers<typeof api.pushNotifications>['send'] {
  const { findParent } = deps.processes;
  return async (context, { params, body }) => {
    checkInput(body);
    const { now } = context;
    const { rpId } = params;
    const by = actor(context.principal);
    return context.db.write(async (tx) => {
      const store = await getActiveStore(tx, context, params.storeName);
      const parentId = body.parentProcessInstanceId;
      // An instance is always locked before a user (deadlocks).
      const parent = parentId === undefined ? undefined : await findParent(tx, store.environment, parentId);
      // The row stays locked, so that concurrent calls are counted one after another.
      const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
      await getConfig(tx, store.id, rpId);
      const { policy } = await getPushPolicy(tx, store.id, rpId);
      if (policy.status !== 'ACTIVE') throw new ApiError(100030);
      await ensureNotBombed(tx, user, now);
      const devices = (await devicesOf(tx, { userId: user.id, rpId })).filter(
        (device) => isReachable(device, policy.providers) && (body.devices !== 'PREFERRED' || device.preferred === 1),
      );
      if (devices.length === 0) throw new ApiError(100040);
      return send(deps, tx, { store, user, policy, input: body, devices, parent, by, now });
    });
  };
}

async function send(deps: SendDeps, tx: TenantTx, request: SendRequest): Promise<SendAnswer> {
  const { store, user, policy, input, parent, now } = request;
  const { environment } = store;
  const send_id = newId(now);
  const startedProcess = input.type === 'PROCESS' ? await start(deps, tx, request, send_id) : undefined;
  const number = policy.numberMatching ? newNumber() : undefined;
  const content: PushContent = {
    ...(input.title && { title: input.title }),
    ...(input.message && { message: input.message }),
    ...(startedProcess && { redirectUrl: startedProcess.redirectUrl }),
    ...(number !== undefined && { number, numbers: numbersFor(number) }),
  };
  const pushNotifications = await addPushes(deps, tx, request, { send_id, content, startedProcess });
  const process = startedProcess && {
    ...parent,
    childProcessDefnName: startedProcess.processDefnName,
    childProcessDefnVersion: startedProcess.processDefnVersion,
    ...(input.processDefnTag && { childProcessDefnTag: input.processDefnTag }),
  };
  const about = { environment, storeName: store.name, userId: user.id, rpId: policy.rpId, process, now };
  await deps.addIdentityEvent(tx, { ...about, type: 'identity.pushNotificationSent' });
  return { pushNotifications, ...(number !== undefined && { number }) };
}

const expiresAt = ({ input, now }: SendRequest) => now + LIFE_MS[input.type];

/** The name of the token says what it is for. The id of the send makes it unique. */
function start({ processes }: SendDeps, tx: TenantTx, request: SendRequest, sendId: string): Promise<StartedProcess> {
  return processes.startProcess(tx, {
    ...request.input,
    environment: request.store.environment,
    by: request.by,
    now: request.now,
    notAfterAt: expiresAt(request),
    madeFor: 'PUSH_NOTIFICATION',
    name: `Push notification ${sendId}`,
  });
}

type NewPushes = { send_id: string; content: PushContent; startedProcess: StartedProcess | undefined };

/** Stores a notification for each device and enqueues the job that sends it. */
async function addPushes(
  { vault, jobs, job }: SendDeps,
  tx: TenantTx,
  request: SendRequest,
  { send_id, content, startedProcess }: NewPushes,
): Promise<PushNotification[]> {
  const { store, user, policy, input, devices, now } = request;
  const plain = Buffer.from(JSON.stringify(content));
  const notifications: PushNotification[] = [];
  for (const { device_id } of devices) {
    const id = newId(now);
    const sealed = await vault.sealFor(tx, userSubject(user.id), contentContext(id), plain);
    const row: PushRow = {
      id,
      store_id: store.id,
      user_id: user.id,
      rp_id: policy.rpId,
      device_id,
      send_id,
      type: input.type,
      sealed,
      status: 'SENT',
      handed_at: null,
      reason: null,
      process_instance_id: startedProcess?.processInstanceId ?? null,
      process_token_id: startedProcess?.processTokenId ?? null,
      parent_instance_id: input.parentProcessInstanceId ?? null,
      created_at: now,
      last_updated_at: now,
      expires_at: expiresAt(request),
    };
    addPush(tx, row);
    await jobs.enqueue(tx, job, { id });
    notifications.push(toPushNotification(row, content, now));
  }
  return notifications;
}

function checkInput({ type, title, message, processDefnName, processDefnTag, parentProcessInstanceId }: Input): void {
  if (type === 'PROCESS' && !processDefnName && !processDefnTag) {
    const pointer = '/processDefnName';
    throw invalidInput({ pointer, message: 'is required for PROCESS, unless processDefnTag is given' });
  }
  if (type === 'GENERIC' && parentProcessInstanceId !== undefined) {
    throw invalidInput({ pointer: '/parentProcessInstanceId', message: 'is allowed only for PROCESS' });
  }
  if (type === 'GENERIC' && !title && !message) {
    throw invalidInput({ pointer: '/message', message: 'is required for GENERIC, unless title is given' });
  }
}

function isReachable({ push_token, invalid_token, push_provider }: DeviceRow, providers: readonly string[]): boolean {
  return push_token !== null && invalid_token === 0 && providers.includes(push_provider);
}

async function ensureNotBombed(tx: TenantTx, { id }: UserRow, now: number): Promise<void> {
  const { total, oldest } = await countSends(tx, id, { since: now - SENDS_WITHIN_MS, until: now + SENDS_WITHIN_MS });
  if (total < MAX_SENDS) return;
  const retryAfterSeconds = Math.max(1, Math.ceil(((oldest ?? now) + SENDS_WITHIN_MS - now) / SECOND));
  throw new ApiError(100039, { retryAfterSeconds });
}
