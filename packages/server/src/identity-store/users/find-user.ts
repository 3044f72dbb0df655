import type { TenantReads, TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Asks, getActiveStore, type Store, toStore } from '../stores/find-store.ts';
import {
  findUser,
  findUserForUpdate,
  findUserInStoreForUpdate,
  type UserRef,
  type UserRow,
} from './users.repository.ts';

export type { UserRef, UserRow };

/**
 * How the address of an operation `ofUser` names the user. The handlers' types do not name these parameters, because
 * which of them there is depends on the address. Nothing if the address names no user.
 */
export function userRefOf(params: object): UserRef | undefined {
  const { userId, userExtId } = params as { userId?: string; userExtId?: string };
  if (userId !== undefined) return { userId };
  return userExtId === undefined ? undefined : { userExtId };
}

/** For operations whose every address names a user. */
export function givenUserRef(params: object): UserRef {
  const ref = userRefOf(params);
  if (!ref) throw new Error('the address names no user');
  return ref;
}

/** The user, or 100028; one of another store is none of this. */
export async function getUser(db: TenantReads, storeId: string, ref: UserRef): Promise<UserRow> {
  const row = await findUser(db, storeId, ref);
  if (!row) throw new ApiError(100028);
  return row;
}

/** Locks the row until the transaction ends: nobody else can change the user or attempt to authenticate as it. */
export async function getUserForUpdate(tx: TenantTx, storeId: string, ref: UserRef): Promise<UserRow> {
  const row = await findUserForUpdate(tx, storeId, ref);
  if (!row) throw new ApiError(100028);
  return row;
}

/** The same together with its store, which has to be active: 100027 and 100082 before 100028. */
export async function getUserInStoreForUpdate(
  tx: TenantTx,
  asks: Asks,
  storeName: string,
  ref: UserRef,
): Promise<{ store: Store; user: UserRow }> {
  const { environment } = asks.principal;
  const row = await findUserInStoreForUpdate(tx, { environment, storeName, ref });
  if (!row) {
    await getActiveStore(tx, asks, storeName);
    throw new ApiError(100028);
  }
  const { store_status: status, store_configuration: configuration, ...user } = row;
  if (status !== 'ACTIVE') throw new ApiError(100082);
  return { user, store: toStore({ id: user.store_id, name: storeName, environment, status, configuration }) };
}

/** What everything of the user is sealed for: to destroy its key is to erase the user. */
export function userSubject(userId: string): string {
  return `user:${userId}`;
}
