import { addToCounter, readCounter, readCounters } from '../../db/counters.ts';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE, forUpdateOf, inList } from '../../db/sql/dialect.ts';
import { prepare, query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { dataKeyColumn } from '../../secrets/data-key-column.ts';
import { openUserRow, storedRef, toStored } from './ext-id-seal.ts';
import type { HeldParts } from './held-parts.ts';
import { type StoredStatus, type UserRef, type UserRow, users } from './users.table.ts';

export type { StoredStatus, UserRef, UserRow };

export const USER_COLUMNS = users.columns;
/** The columns that change. Id, store and creation time never change; a success is recorded separately. */
const CHANGING = [
  'ext_id',
  'ext_id_folded',
  'ext_sealed',
  'status',
  'temp_lock_at',
  'temp_lock_until',
  'sealed',
  'locale',
  'time_zone',
  'last_updated_at',
] as const;
const OF_STORE = 'WHERE tenant_id = :tenant_id AND store_id = :store_id';
const BY_ID = users.select(USER_COLUMNS, `${OF_STORE} AND id = :ref`);
const BY_ID_FOR_UPDATE = users.select(USER_COLUMNS, `${OF_STORE} AND id = :ref ${FOR_UPDATE}`);
const BY_EXT_ID = users.select(USER_COLUMNS, `${OF_STORE} AND ext_id = :ref`);
const BY_EXT_ID_FOR_UPDATE = users.select(USER_COLUMNS, `${OF_STORE} AND ext_id = :ref ${FOR_UPDATE}`);
const ONE = 'WHERE tenant_id = :tenant_id AND id = :id';
const ADD = users.insert();
const CHANGE = users.update(CHANGING, ONE);
const REMOVE = users.delete(ONE);

const counterOf = (storeId: string) => `users:${storeId}`;

const OF_USER = USER_COLUMNS.map((column) => `u.${column}`).join(', ');

/** A user of a store, with additional columns of either table. `key` is the column that identifies the user. */
const inStore = <R>(more: string, key: 'id' | 'ext_id', lock = '') =>
  prepare<InStore, UserRow & R>(`SELECT ${OF_USER}, ${more} FROM identity_stores s
    JOIN identity_users u ON u.tenant_id = s.tenant_id AND u.store_id = s.id AND u.${key} = :ref
    WHERE s.tenant_id = :tenant_id AND s.environment = :environment AND s.name = :storeName ${lock}`);
type InStore = { tenant_id: string; environment: Environment; storeName: string; ref: string };

/** Statements that also read which parts a user has, one for each way to find a user. */
export function userStatements({ columns }: Pick<HeldParts, 'columns'>) {
  const parts = `${columns('u.id')}, ${dataKeyColumn("'user:' || u.id")} AS data_key`;
  type Parts = Record<string, unknown> & { data_key?: Uint8Array | null };
  return {
    held: prepare<{ tenant_id: string; id: string }, Parts>(`SELECT ${columns(':id')}`),
    byId: inStore<Parts>(parts, 'id'),
    byExtId: inStore<Parts>(parts, 'ext_id'),
  };
}

const STORE_COLUMNS = 's.status AS store_status, s.configuration AS store_configuration';
type StoreColumns = { store_status: 'ACTIVE' | 'INACTIVE'; store_configuration: string };
const IN_STORE_BY_ID_FOR_UPDATE = inStore<StoreColumns>(STORE_COLUMNS, 'id', forUpdateOf('u'));
const IN_STORE_BY_EXT_ID_FOR_UPDATE = inStore<StoreColumns>(STORE_COLUMNS, 'ext_id', forUpdateOf('u'));

export async function findUser(db: TenantReads, storeId: string, ref: UserRef): Promise<UserRow | undefined> {
  const one = ref.userId === undefined ? BY_EXT_ID : BY_ID;
  return openUserRow(db, ref, await one.get(db, { store_id: storeId, ref: await storedRef(db, ref) }));
}

/** Locks the row until the transaction ends: no other transaction can change the user or authenticate as it. */
export async function findUserForUpdate(tx: TenantTx, storeId: string, ref: UserRef): Promise<UserRow | undefined> {
  const one = ref.userId === undefined ? BY_EXT_ID_FOR_UPDATE : BY_ID_FOR_UPDATE;
  return openUserRow(tx, ref, await one.get(tx, { store_id: storeId, ref: await storedRef(tx, ref) }));
}

export type UserInStoreRow = UserRow & StoreColumns;

/** Locks and returns the user together with the columns of its store. */
export async function findUserInStoreForUpdate(
  tx: TenantTx,
  { environment, storeName, ref }: { environment: Environment; storeName: string; ref: UserRef },
): Promise<UserInStoreRow | undefined> {
  const one = ref.userId === undefined ? IN_STORE_BY_EXT_ID_FOR_UPDATE : IN_STORE_BY_ID_FOR_UPDATE;
  return openUserRow(tx, ref, await one.get(tx, { environment, storeName, ref: await storedRef(tx, ref) }));
}

export async function addUser(tx: TenantTx, row: UserRow): Promise<void> {
  await ADD.run(tx, { ...row, ...(await toStored(tx, row)) });
  await addToCounter(tx, counterOf(row.store_id), 1);
}

export async function changeUser(tx: TenantTx, row: UserRow): Promise<void> {
  await CHANGE.run(tx, { ...row, ...(await toStored(tx, row)) });
}

export const recordSuccess = users.update(['last_success_at'], ONE).send;

export const tempLockUser = users.update(['temp_lock_at', 'temp_lock_until'], ONE).send;

/** Removes the user; the database removes the rows that belong to it. */
export async function removeUser(tx: TenantTx, row: UserRow): Promise<void> {
  await REMOVE.run(tx, row);
  await addToCounter(tx, counterOf(row.store_id), -1);
}

const OLDEST = query<{ at: number }>()(`SELECT created_at AS at FROM identity_users WHERE tenant_id = :tenant_id
  AND id = (SELECT min(id) FROM identity_users WHERE tenant_id = :tenant_id)`);

/** Returns when the oldest existing user was created. */
export async function oldestUser(db: TenantReads): Promise<number | undefined> {
  return (await OLDEST.get(db, {}))?.at;
}

export type FoundUser = { id: string; storeId: string; name: string; environment: Environment };

/** Returns those of the users that exist, with their stores. */
export const usersAmong =
  query<FoundUser>()(`SELECT u.id, s.id AS "storeId", s.name, s.environment FROM identity_users u
  JOIN identity_stores s ON s.tenant_id = u.tenant_id AND s.id = u.store_id
  WHERE u.tenant_id = :tenant_id AND u.id ${inList(':ids')}`).all;

const STORES = query<{ id: string }>()(`SELECT id FROM identity_stores
  WHERE tenant_id = :tenant_id AND environment = :environment`);

/** The users of all stores. */
export async function countUsersIn(db: TenantReads, environment: Environment): Promise<number> {
  const names = (await STORES.all(db, { environment })).map(({ id }) => counterOf(id));
  const counters = await readCounters(db, names);
  return [...counters.values()].reduce((sum, each) => sum + each, 0);
}

export function countUsers(db: TenantReads, storeId: string): Promise<number> {
  return readCounter(db, counterOf(storeId));
}
