import type { TenantReads, TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { getActiveStore, type Store, type StoreCaller, toStore } from '../stores/find-store.ts';
import {
  findUser,
  findUserForUpdate,
  findUserInStoreForUpdate,
  type UserRef,
  type UserRow,
} from './users.repository.ts';

export type { UserRef, UserRow };

/**
 * Returns how the path of an operation names the user, or undefined if it names none. The types of the handlers do not
 * contain these parameters, because they depend on the path.
 */
export function userRefOf(params: object): UserRef | undefined {
  const { userId, userExtId } = params as { userId?: string; userExtId?: string };
  if (userId !== undefined) return { userId };
  return userExtId === undefined ? undefined : { userExtId };
}

/** For operations whose paths all name a user. */
export function givenUserRef(params: object): UserRef {
  const ref = userRefOf(params);
  if (!ref) throw new Error('the address names no user');
  return ref;
}

/** Returns the user of this store, or throws 100028. */
export async function getUser(db: TenantReads, storeId: string, ref: UserRef): Promise<UserRow> {
  const row = await findUser(db, storeId, ref);
  if (!row) throw new ApiError(100028);
  return row;
}

/** Locks the row until the transaction ends: no other transaction can change the user or authenticate as it. */
export async function getUserForUpdate(tx: TenantTx, storeId: string, ref: UserRef): Promise<UserRow> {
  const row = await findUserForUpdate(tx, storeId, ref);
  if (!row) throw new ApiError(100028);
  return row;
}

/**
 * Returns and locks the user together with its active store. Throws 100027 or 100082 for the store before 100028 for
 * the user.
 */
export async function getUserInStoreForUpdate(
  tx: TenantTx,
  caller: StoreCaller,
  storeName: string,
  ref: UserRef,
): Promise<{ store: Store; user: UserRow }> {
  const { environment } = caller.principal;
  const row = await findUserInStoreForUpdate(tx, { environment, storeName, ref });
  if (!row) {
    await getActiveStore(tx, caller, storeName);
    throw new ApiError(100028);
  }
  const { store_status: status, store_configuration: configuration, ...user } = row;
  if (status !== 'ACTIVE') throw new ApiError(100082);
  return { user, store: toStore({ id: user.store_id, name: storeName, environment, status, configuration }) };
}

/** The subject for which all data of the user is sealed: to destroy its key erases the user. */
export function userSubject(userId: string): string {
  return `user:${userId}`;
}
