import type { api, Body } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { SECOND } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/implement.ts';
import { getConfig } from '../appkeys/configs.ts';
import { type DeviceRow, devicesOf } from '../appkeys/devices.repository.ts';
import type { ProcessFields } from '../events/identity-events.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore, type Store } from '../stores/find-store.ts';
import { getUserForUpdate, givenUserRef, type UserRow, userSubject } from '../users/find-user.ts';
import { addPush, type PushRow, sendsSince } from './push-notifications.repository.ts';
import { getPushPolicy } from './push-policies.ts';
import { LIFE_MS, MAX_SENDS, SENDS_WITHIN_MS } from './push-rules.ts';
import { contentContext, type PushContent } from './send-push.ts';
import { type PushNotification, toPushNotification } from './to-push-notification.ts';

type Input = Body<typeof api.pushNotifications.send>;

/** A process for the user to run, in the transaction that asks for it. */
export type StartProcess = (
  tx: TenantTx,
  asked: Pick<Input, 'processDefnName' | 'processDefnVersion' | 'processDefnTag' | 'parameters'> & {
    environment: 'live' | 'test';
    notAfterAt: number;
    now: number;
  },
) => Promise<{ processInstanceId: string; processDefnName: string; processDefnVersion: number; redirectUrl: string }>;

export type SendDeps = Pick<IdentityCore, 'vault' | 'addIdentityEvent'> & {
  jobs: Pick<Jobs, 'enqueue'>;
  job: JobDefinition<{ id: string }>;
  startProcess: StartProcess;
  /** The instance that waits, or 100022; nothing of it that a caller of this environment may not see. */
  findParent(tx: TenantTx, environment: 'live' | 'test', instanceId: string): Promise<ParentProcess>;
};

type ParentProcess = Pick<
  ProcessFields,
  'parentProcessDefnId' | 'parentProcessDefnName' | 'parentProcessDefnVersion' | 'parentProcessInstanceId'
>;

type Asked = { store: Store; user: UserRow; rpId: string; input: Input; devices: DeviceRow[]; now: number };

export function sending(deps: SendDeps): Handlers<typeof api.pushNotifications>['send'] {
  return async (context, { params, body }) => {
    checkInput(body);
    const { now } = context;
    const { rpId } = params;
    const pushNotifications = await context.db.write(async (tx) => {
      const store = await getActiveStore(tx, context, params.storeName);
      // The row stays locked, so that calls which come together are counted one after another.
      const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
      await getConfig(tx, store.id, rpId);
      const { policy } = await getPushPolicy(tx, store.id, rpId);
      if (policy.status !== 'ACTIVE') throw new ApiError(100030);
      await ensureNotBombed(tx, user, now);
      const devices = (await devicesOf(tx, { userId: user.id, rpId })).filter(
        (device) => isReachable(device, policy.providers) && (body.devices !== 'PREFERRED' || device.preferred === 1),
      );
      if (devices.length === 0) throw new ApiError(100040);
      return send(deps, tx, { store, user, rpId, input: body, devices, now });
    });
    return { pushNotifications };
  };
}

async function send(deps: SendDeps, tx: TenantTx, asked: Asked): Promise<PushNotification[]> {
  const { store, user, rpId, input, devices, now } = asked;
  const { environment } = store;
  const expires_at = now + LIFE_MS[input.type];
  const parentId = input.parentProcessInstanceId;
  const parent = parentId === undefined ? undefined : await deps.findParent(tx, environment, parentId);
  const asks = { ...input, environment, notAfterAt: expires_at, now };
  const started = input.type === 'PROCESS' ? await deps.startProcess(tx, asks) : undefined;
  const content: PushContent = {
    ...(input.title && { title: input.title }),
    ...(input.message && { message: input.message }),
    ...(started && { redirectUrl: started.redirectUrl }),
  };
  const plain = Buffer.from(JSON.stringify(content));
  const send_id = newId(now);
  const sent: PushNotification[] = [];
  for (const { device_id } of devices) {
    const id = newId(now);
    const sealed = await deps.vault.sealFor(tx, userSubject(user.id), contentContext(id), plain);
    const row: PushRow = {
      ...{ id, store_id: store.id, user_id: user.id, rp_id: rpId, device_id, send_id, type: input.type, sealed },
      ...{
        status: 'SENT',
        process_instance_id: started?.processInstanceId ?? null,
        parent_instance_id: parentId ?? null,
        handed_at: null,
        reason: null,
      },
      ...{ created_at: now, last_updated_at: now, expires_at },
    };
    await addPush(tx, row);
    await deps.jobs.enqueue(tx, deps.job, { id });
    sent.push(toPushNotification(row, content, now));
  }
  const process = started && {
    ...parent,
    childProcessDefnName: started.processDefnName,
    childProcessDefnVersion: started.processDefnVersion,
    ...(input.processDefnTag && { childProcessDefnTag: input.processDefnTag }),
  };
  const about = { environment, storeName: store.name, userId: user.id, rpId, process, now };
  await deps.addIdentityEvent(tx, { ...about, type: 'identity.pushNotificationSent' });
  return sent;
}

function checkInput({ type, title, message, processDefnName, processDefnTag, parentProcessInstanceId }: Input): void {
  if (type === 'PROCESS' && !processDefnName && !processDefnTag) {
    const pointer = '/processDefnName';
    throw invalidInput({ pointer, message: 'is required for PROCESS, unless processDefnTag is given' });
  }
  if (type === 'GENERIC' && parentProcessInstanceId !== undefined) {
    throw invalidInput({ pointer: '/parentProcessInstanceId', message: 'is for PROCESS alone: nothing else ends' });
  }
  if (type === 'GENERIC' && !title && !message) {
    throw invalidInput({ pointer: '/message', message: 'is required for GENERIC, unless title is given' });
  }
}

function isReachable({ push_token, invalid_token, push_provider }: DeviceRow, providers: readonly string[]): boolean {
  return push_token !== null && invalid_token === 0 && providers.includes(push_provider);
}

async function ensureNotBombed(tx: TenantTx, { id }: UserRow, now: number): Promise<void> {
  const { total, oldest } = await sendsSince(tx, id, now - SENDS_WITHIN_MS);
  if (total < MAX_SENDS) return;
  const retryAfterSeconds = Math.max(1, Math.ceil(((oldest ?? now) + SENDS_WITHIN_MS - now) / SECOND));
  throw new ApiError(100039, { retryAfterSeconds });
}
