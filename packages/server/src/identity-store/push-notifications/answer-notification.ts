import type { api } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/implement.ts';
import { faultOfStatus } from '../attempts/usable.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getStore, type Store } from '../stores/find-store.ts';
import { getUserForUpdate, givenUserRef } from '../users/find-user.ts';
import type { Abandon } from './follow-instance.ts';
import type { Processes } from './processes.ts';
import { findPush, lockSend, type PushRow, setPushStatus } from './push-notifications.repository.ts';
import { accepts, isOpen, mayBecome, ofUser, statusAt } from './push-rules.ts';
import { contentOf } from './send-push.ts';
import { toPushNotification } from './to-push-notification.ts';

export type AnswerDeps = Pick<IdentityCore, 'vault' | 'addIdentityEvent'> &
  Pick<Processes, 'closeToken'> & { jobs: Pick<Jobs, 'enqueue'>; abandon: JobDefinition<Abandon> };

/**
 * Records the answer of a user on a device. A wrong number counts as a rejection. A rejection of a process applies to
 * all devices: otherwise an attacker could guess again on the next device. Only an earlier acceptance stays.
 */
export function answerHandler(deps: AnswerDeps): Handlers<typeof api.pushNotifications>['answer'] {
  return async (context, { params, body: { status, number } }) => {
    const { now } = context;
    const answer = await context.db.write(async (tx) => {
      const store = await getStore(tx, context, params.storeName);
      // The user is locked before its notifications, as by a deletion of the user (deadlocks).
      const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
      const rows = await lockSend(tx, ofUser(await findPush(tx, { id: params.id }), user.id));
      const row = ofUser(
        rows.find(({ id }) => id === params.id),
        user.id,
      );
      const before = statusAt(row, now);
      if (!mayBecome(before, status)) throw new ApiError(100120);
      // To accept is to say who one is: whoever has a lost phone must not do so for a locked user. The journey of a process
      // checks that itself, and may be the way out of the lock.
      const isAccepting = accepts(before, status);
      const fault = row.type === 'GENERIC' && isAccepting && faultOfStatus(user, undefined, now);
      if (fault) throw new ApiError(fault);
      const content = await contentOf(deps.vault, tx, row);
      const isWrong = content.number !== undefined && isAccepting && number !== content.number;
      if (isWrong && number === undefined) {
        throw invalidInput({ pointer: '/number', message: 'is required: the number that the user was shown' });
      }
      if (isWrong || (status === 'REJECTED' && before !== 'REJECTED')) {
        await refuse(deps, tx, { store, row, rows, isWrong, now });
      } else {
        setPushStatus(tx, { id: row.id, status, reason: null, now });
      }
      if (isWrong) return undefined;
      const notification = toPushNotification({ ...row, status, last_updated_at: now }, content, now);
      const opens = status === 'ACCEPTED' && content.number !== undefined && content.redirectUrl !== undefined;
      return { ...notification, ...(opens && { redirectUrl: content.redirectUrl }) };
    });
    // Thrown after the commit, so that the stored rejection stays.
    if (!answer) throw new ApiError(100190);
    return answer;
  };
}

type RefusedPush = { store: Store; row: PushRow; rows: readonly PushRow[]; isWrong: boolean; now: number };

async function refuse(deps: AnswerDeps, tx: TenantTx, { store, row, rows, isWrong, now }: RefusedPush): Promise<void> {
  const isAccepted = rows.some(({ status }) => status === 'ACCEPTED' || status === 'COMPLETED');
  const endsAll = !isAccepted && (isWrong || row.type === 'PROCESS');
  for (const each of endsAll ? rows : [row]) {
    if (!isOpen(statusAt(each, now))) continue;
    setPushStatus(tx, { id: each.id, status: 'REJECTED', reason: null, now });
  }
  const { environment, name: storeName } = store;
  const about = { environment, storeName, userId: row.user_id, rpId: row.rp_id, now };
  const code = isWrong ? { code: 100190 } : {};
  await deps.addIdentityEvent(tx, { ...about, ...code, type: 'identity.pushNotificationRejected' });
  if (!endsAll || row.process_instance_id === null) return;
  if (row.process_token_id !== null) await deps.closeToken(tx, row.process_token_id, now);
  await deps.jobs.enqueue(tx, deps.abandon, { instanceId: row.process_instance_id });
}
