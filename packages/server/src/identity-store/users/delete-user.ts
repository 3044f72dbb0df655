import type { TenantDb, TenantTx } from '../../db/db.ts';
import type { Erasable } from '../../erasure-log/replay-erasures.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import { hasMoreAuthenticationsThan, removeAuthenticationsOf } from '../attempts/authentications.repository.ts';
import type { IdentityCore } from '../identity-core.ts';
import type { Store } from '../stores/find-store.ts';
import { userSubject } from './find-user.ts';
import { findUserForUpdate, oldestUser, removeUser, type UserRow, usersAmong } from './users.repository.ts';

type DeleteUserDeps = Pick<IdentityCore, 'vault' | 'addIdentityEvent'>;
type Deletion = { store: Pick<Store, 'name' | 'environment'>; now: number };

/** Authentications that are removed in one transaction. */
export const AUTHENTICATIONS_AT_ONCE = 500;

/**
 * Removes a long history of a user before the user, in transactions of their own: whoever authenticates every second has
 * tens of thousands of rows, and to remove them at once would hold the only writer of SQLite for seconds. If the server
 * dies in between, the user is still there, and can be deleted again. Authentications of this moment go with the user.
 */
export async function removeHistory(db: TenantDb, userId: string, now: number): Promise<void> {
  if (db.inTransaction || !(await hasMoreAuthenticationsThan(db, { user_id: userId, count: AUTHENTICATIONS_AT_ONCE })))
    return;
  const batch = { user_id: userId, beforeId: firstIdAt(now), limit: AUTHENTICATIONS_AT_ONCE };
  let removed: number;
  do removed = await db.write((tx) => removeAuthenticationsOf(tx, batch));
  while (removed === AUTHENTICATIONS_AT_ONCE);
}

/** Deletes the user with all its data. After the commit, nothing that was sealed for it can be decrypted. */
export async function deleteUser(
  { vault, addIdentityEvent }: DeleteUserDeps,
  tx: TenantTx,
  user: UserRow,
  { store: { name: storeName, environment }, now }: Deletion,
): Promise<void> {
  await vault.destroySubject(tx, userSubject(user.id));
  await removeUser(tx, user);
  await addIdentityEvent(tx, { environment, storeName, type: 'identity.userDeleted', userId: user.id, now });
}

/** Erases users again that a restored backup brought back. */
export function erasableUsers(deps: DeleteUserDeps): Erasable {
  return {
    kind: 'user',
    oldest: oldestUser,
    async eraseAgain(db, ids, at) {
      let erased = 0;
      for (const { id, storeId, ...store } of await usersAmong(db, { ids })) {
        await removeHistory(db, id, at);
        erased += await db.write(async (tx) => {
          const user = await findUserForUpdate(tx, storeId, { userId: id });
          if (!user) return 0;
          await deleteUser(deps, tx, user, { store, now: at });
          return 1;
        });
      }
      return erased;
    },
  };
}
