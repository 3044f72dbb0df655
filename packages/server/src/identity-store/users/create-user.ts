import type { api, Body } from '@grove/contract';
import { isBelowLimit } from '../../db/below-limit.ts';
import { isUniqueViolation, type TenantTx } from '../../db/db.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { fold } from '../../kernel/pages.ts';
import { pathNameFault } from '../../kernel/path-name.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { AddIdentityEvent, ProcessFields } from '../events/identity-events.ts';
import type { Store } from '../stores/find-store.ts';
import { localeFault, timeZoneFault } from '../stores/store-rules.ts';
import { sealAttributes } from './user-view.ts';
import { addUser, countUsers, type UserRow } from './users.repository.ts';

/** Creates a user, for an API caller, for a registration without a user and for a step of a journey. */

export const MAX_USERS_UNLESS_GIVEN = 10_000_000;

export type UserInput = Body<typeof api.users.create>;

export type CreateUserDeps = { vault: Pick<Vault, 'sealFor'>; addIdentityEvent: AddIdentityEvent };

export async function createUser(
  { vault, addIdentityEvent }: CreateUserDeps,
  tx: TenantTx,
  store: Store,
  { input, now, process }: { input: UserInput; now: number; process?: ProcessFields | undefined },
): Promise<UserRow> {
  checkUser(input);
  const { configuration } = store;
  const status = input.status ?? configuration.defaultUserStatus ?? 'ACTIVE';
  if (status === 'TEMP_LOCKED') throw tempLockedGiven();
  const limit = configuration.maxUsers ?? MAX_USERS_UNLESS_GIVEN;
  const hasRoom = await isBelowLimit(tx, { of: ['users', store.id], limit, count: () => countUsers(tx, store.id) });
  if (!hasRoom) throw new ApiError(100083);
  const id = newId(now);
  const row: UserRow = {
    id,
    store_id: store.id,
    ext_id: input.extId ?? null,
    ext_id_folded: fold(input.extId ?? ''),
    status,
    temp_lock_at: null,
    temp_lock_until: null,
    sealed: await sealAttributes(vault, tx, id, input.attributes ?? {}),
    locale: input.locale ?? configuration.defaultLocale ?? null,
    time_zone: input.timeZone ?? configuration.defaultTimeZone ?? null,
    created_at: now,
    last_updated_at: now,
    last_success_at: null,
  };
  await knownOnce(row.ext_id, () => addUser(tx, row));
  const { environment, name: storeName } = store;
  await addIdentityEvent(tx, { environment, storeName, type: 'identity.userCreated', userId: id, process, now });
  return row;
}

/** Throws if a field of the user is not valid. */
export function checkUser({ extId, locale, timeZone }: UserInput): void {
  const faults = [
    extId?.trim() === '' ? { pointer: '/extId', message: 'must not be empty' } : pathNameFault('/extId', extId),
    localeFault(locale, '/locale'),
    timeZoneFault(timeZone, '/timeZone'),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw invalidInput(...faults);
}

export function tempLockedGiven(): ApiError {
  return invalidInput({ pointer: '/status', message: 'must not be TEMP_LOCKED: lock the user for a time instead' });
}

/** Reports a violation of the unique index as a fault of `extId`. The index decides between concurrent calls. */
export async function knownOnce(extId: string | null, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (extId === null || !isUniqueViolation(error)) throw error;
    const message = 'is the external id of another user of the store';
    throw new ApiError(100037, { errors: [{ pointer: '/extId', message }], cause: error });
  }
}
