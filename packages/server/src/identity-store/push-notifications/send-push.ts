import type { TenantDb, TenantReads, TenantTx } from '../../db/db.ts';
import type { PushMessage, PushOutcome } from '../../engines/push/outcome.ts';
import type { SendPush } from '../../engines/push/push.ts';
import { defineJob, type JobDefinition, JobError } from '../../jobs/define-job.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Vault } from '../../secrets/vault.ts';
import { type DeviceRow, findDevice, markTokenInvalid } from '../appkeys/devices.repository.ts';
import { openPushToken } from '../appkeys/push-tokens.ts';
import { userSubject } from '../users/find-user.ts';
import { failPush, findPush, noteHanded, type PushRow, setPushStatus } from './push-notifications.repository.ts';
import { getPushPolicy } from './push-policies.ts';
import { openSettings } from './push-settings.ts';

/** The job that sends one push notification to its provider. An unavailable provider delays only this notification. */
export type SendPushDeps = { vault: Vault; push: SendPush };

/** The sealed part of a notification. */
export type PushContent = {
  title?: string;
  message?: string;
  redirectUrl?: string;
  /** The number that the user was shown at the start, and the numbers to choose from on the device. */
  number?: number;
  numbers?: readonly number[];
};

export const contentContext = (id: string) => `push-notification:${id}`;

const MAX_ATTEMPTS = 12;

export function sendPushJob({ vault, push }: SendPushDeps): JobDefinition<{ id: string }> {
  return defineJob<{ id: string }>({
    kind: 'identity-store.send-push',
    does: 'sends a push notification to a device',
    maxAttempts: MAX_ATTEMPTS,
    backoff: { firstMs: 2 * SECOND, mostMs: 10 * MINUTE },
    timeoutMs: 30 * SECOND,
    async run({ id }, { tenant, now, attempt, outside }) {
      const db = tenant();
      const row = await findPush(db, { id });
      if (row?.status !== 'SENT' || row.handed_at !== null) return;
      if (row.expires_at <= now) {
        await db.write(async (tx) => setPushStatus(tx, { id, status: 'EXPIRED', reason: null, now }));
        return;
      }
      const reached = await reach(vault, db, row);
      if ('reason' in reached) {
        await db.write(async (tx) => failPush(tx, { id, reason: reached.reason, now }));
        return;
      }
      const { device, target, message } = reached;
      const outcome = await outside(row.store_id, () => push(target, message));
      if (outcome.kind === 'LATER' && attempt < MAX_ATTEMPTS) throw new JobError(outcome.reason);
      await db.write((tx) => settle(tx, { row, device, outcome, now }));
    },
  });
}

type PushRequest = { device: DeviceRow; target: Parameters<SendPush>[0]; message: PushMessage };

/** Reads everything that sending needs as it is now: the device may be removed, the token invalid, the policy deleted. */
async function reach(vault: Vault, db: TenantDb, row: PushRow): Promise<PushRequest | { reason: string }> {
  const { user_id: userId, rp_id: rpId, device_id: deviceId, store_id: storeId } = row;
  const name = { userId, rpId, deviceId };
  const device = await findDevice(db, name);
  if (!device?.push_token || device.invalid_token === 1) return { reason: 'the device cannot be reached' };
  const stored = await getPushPolicy(db, storeId, rpId).catch(nothingIfMissing);
  if (stored?.policy.status !== 'ACTIVE') return { reason: 'the policy is not active' };
  const settings = await openSettings(vault, db, { storeId, rpId }, stored.sealed);
  const token = await openPushToken(vault, db, name, device.push_token);
  return {
    device,
    target: { owner: storeId, provider: device.push_provider, token, settings },
    message: messageOf(row, await contentOf(vault, db, row)),
  };
}

function nothingIfMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 100030) return undefined;
  throw error;
}

export async function contentOf(vault: Pick<Vault, 'openFor'>, db: TenantReads, row: PushRow): Promise<PushContent> {
  const plain = await vault.openFor(db, userSubject(row.user_id), contentContext(row.id), row.sealed);
  return JSON.parse(plain.toString('utf8')) as PushContent;
}

/** If the user must choose a number, the message has no link: the user gets it only after the right number. */
function messageOf(row: PushRow, { title, message, redirectUrl, numbers }: PushContent): PushMessage {
  return {
    id: row.id,
    title,
    message,
    expiresAt: row.expires_at,
    data: {
      pushNotificationId: row.id,
      type: row.type,
      rpId: row.rp_id,
      ...(row.process_instance_id !== null && { processInstanceId: row.process_instance_id }),
      ...(numbers ? { numbers: numbers.join(',') } : redirectUrl !== undefined && { redirectUrl }),
    },
  };
}

type PushResult = { row: PushRow; device: DeviceRow; outcome: PushOutcome; now: number };

async function settle(tx: TenantTx, { row, device, outcome, now }: PushResult): Promise<void> {
  if (outcome.kind === 'SENT') return noteHanded(tx, { id: row.id, now });
  if (outcome.kind === 'DEAD_TOKEN' && device.push_token) {
    const name = { userId: row.user_id, rpId: row.rp_id, deviceId: row.device_id };
    await markTokenInvalid(tx, name, device.push_token);
  }
  failPush(tx, { id: row.id, reason: outcome.reason, now });
}
