import { query } from '../../db/sql/statement.ts';
import type { PersonItem, PersonSource } from '../../kernel/person-source.ts';
import type { IdentityCore } from '../identity-core.ts';
import { deleteUser, removeHistory } from './delete-user.ts';
import { openUsers } from './ext-id-seal.ts';
import { attributesOf } from './user-view.ts';
import {
  countUsersIn,
  findUser,
  findUserForUpdate,
  USER_COLUMNS,
  type UserRow,
  usersAmong,
} from './users.repository.ts';

const IN_ENVIRONMENT = `u.tenant_id = :tenant_id AND u.store_id IN
  (SELECT id FROM identity_stores s WHERE s.tenant_id = :tenant_id AND s.environment = :environment)`;
const AFTER =
  query<UserRow>()(`SELECT ${USER_COLUMNS.join(', ')} FROM identity_users u WHERE ${IN_ENVIRONMENT} AND u.id > :after
  ORDER BY u.id LIMIT :limit + 0`);

/** The users of identity stores, for requests about a person: they are searched by external id and attributes. */
export function usersOfPerson(
  core: Pick<IdentityCore, 'vault' | 'addIdentityEvent' | 'userView'> & { now(): number },
): PersonSource {
  return {
    kind: 'user',
    count: countUsersIn,
    async page(db, environment, after, limit) {
      const items: PersonItem[] = [];
      const rows = await openUsers(db, await AFTER.all(db, { environment, after, limit }));
      for (const row of rows) {
        const attributes = await attributesOf(core.vault, db, row);
        const externalIds = row.ext_id === null ? [] : [row.ext_id];
        items.push({ id: row.id, externalIds, texts: [...externalIds, ...Object.values(attributes)] });
      }
      return items;
    },
    async show(db, id) {
      const [userStore] = await usersAmong(db, { ids: [id] });
      const row = userStore && (await findUser(db, userStore.storeId, { userId: id }));
      return row && { storeName: userStore.name, ...(await core.userView(db, row, core.now())) };
    },
    async erase(db, id, { at }) {
      const [userStore] = await usersAmong(db, { ids: [id] });
      if (!userStore) return;
      const { storeId, ...store } = userStore;
      await removeHistory(db, id, at);
      await db.write(async (tx) => {
        const user = await findUserForUpdate(tx, storeId, { userId: id });
        if (user) await deleteUser(core, tx, user, { store, now: at });
      });
    },
  };
}
