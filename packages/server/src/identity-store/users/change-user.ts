import type { TenantTx } from '../../db/db.ts';
import { fromDuration } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { fold } from '../../kernel/pages.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { Modality } from '../attempts/lock-rules.ts';
import { clearLock, clearLocks } from '../attempts/locks.repository.ts';
import { checkUser, knownOnce, tempLockedGiven, type UserInput } from './create-user.ts';
import { sealAttributes, statusOf } from './user-view.ts';
import { changeUser, type UserRow } from './users.repository.ts';

/** Changes of a user by operators. The caller has locked the row. */

type UserChange = { readonly after: UserRow; readonly unlocked: boolean };

/**
 * Changes only the fields of the input; attributes are replaced as a whole. To set a locked user to ACTIVE unlocks it.
 */
export async function applyChange(
  vault: Pick<Vault, 'sealFor'>,
  tx: TenantTx,
  before: UserRow,
  { input, now }: { input: UserInput; now: number },
): Promise<UserChange> {
  checkUser(input);
  const statusBefore = statusOf(before, now);
  const status = input.status ?? statusBefore;
  if (status === 'TEMP_LOCKED' && statusBefore !== 'TEMP_LOCKED') throw tempLockedGiven();
  const changes = status !== statusBefore;
  const unlocked = status === 'ACTIVE' && (statusBefore === 'LOCKED' || statusBefore === 'TEMP_LOCKED');
  const after: UserRow = {
    ...before,
    ext_id: input.extId ?? before.ext_id,
    ext_id_folded: input.extId === undefined ? before.ext_id_folded : fold(input.extId),
    status: status === 'TEMP_LOCKED' ? 'ACTIVE' : status,
    temp_lock_at: changes ? null : before.temp_lock_at,
    temp_lock_until: changes ? null : before.temp_lock_until,
    sealed: input.attributes ? await sealAttributes(vault, tx, before.id, input.attributes) : before.sealed,
    locale: input.locale ?? before.locale,
    time_zone: input.timeZone ?? before.time_zone,
    last_updated_at: now,
  };
  await knownOnce(after.ext_id, () => changeUser(tx, after));
  if (unlocked) clearLocks(tx, { userId: after.id });
  return { after, unlocked };
}

/** Refuses a user that is not active: to unlock it later would make it active. */
export async function lockUser(
  tx: TenantTx,
  before: UserRow,
  { duration, now }: { duration: string | undefined; now: number },
): Promise<UserRow> {
  if (before.status !== 'ACTIVE' && before.status !== 'LOCKED') throw new ApiError(502);
  const ms = duration === undefined ? undefined : fromDuration(duration);
  if (ms !== undefined && ms <= 0) throw invalidInput({ pointer: '/duration', message: 'must be greater than zero' });
  const lock =
    ms === undefined
      ? ({ status: 'LOCKED', temp_lock_at: null, temp_lock_until: null } as const)
      : ({ status: 'ACTIVE', temp_lock_at: now, temp_lock_until: now + ms } as const);
  const after = { ...before, ...lock, last_updated_at: now };
  await changeUser(tx, after);
  return after;
}

export async function unlockUser(
  tx: TenantTx,
  before: UserRow,
  { modality, now }: { modality: Modality | undefined; now: number },
): Promise<UserRow> {
  if (modality) {
    clearLock(tx, { userId: before.id, modality });
    return before;
  }
  clearLocks(tx, { userId: before.id });
  const status = before.status === 'LOCKED' ? 'ACTIVE' : before.status;
  const after = { ...before, status, temp_lock_at: null, temp_lock_until: null, last_updated_at: now };
  await changeUser(tx, after);
  return after;
}
