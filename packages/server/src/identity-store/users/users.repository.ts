import { addToCounter, readCounter } from '../../db/counters.ts';
import { type Sql, sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { FOR_UPDATE, forUpdateOf, inJson } from '../../db/sql/dialect.ts';
import { openFound, storedRef, toStored } from './ext-id-seal.ts';
import type { HeldParts } from './held-parts.ts';
import type { StoredStatus, UserRef, UserRow } from './user-row.ts';

export type { StoredStatus, UserRef, UserRow };

export const USER_COLUMNS = `id, store_id, ext_id, ext_id_folded, ext_sealed, status, temp_lock_until, sealed, locale,
  time_zone, created_at, last_updated_at, last_success_at`;
const OF_STORE = `SELECT ${USER_COLUMNS} FROM identity_users WHERE tenant_id = $1 AND store_id = $2`;
const BY_ID = sql(`${OF_STORE} AND id = $3`);
const BY_ID_FOR_UPDATE = sql(`${OF_STORE} AND id = $3 ${FOR_UPDATE}`);
const BY_EXT_ID = sql(`${OF_STORE} AND ext_id = $3`);
const BY_EXT_ID_FOR_UPDATE = sql(`${OF_STORE} AND ext_id = $3 ${FOR_UPDATE}`);
const ADD = sql(`INSERT INTO identity_users (tenant_id, ${USER_COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`);
const CHANGE = sql(`UPDATE identity_users SET ext_id = $3, ext_id_folded = $4, ext_sealed = $5, status = $6,
  temp_lock_until = $7, sealed = $8, locale = $9, time_zone = $10, last_updated_at = $11
  WHERE tenant_id = $1 AND id = $2`);
const SUCCEEDED = sql('UPDATE identity_users SET last_success_at = $3 WHERE tenant_id = $1 AND id = $2');
const TEMP_LOCK = sql('UPDATE identity_users SET temp_lock_until = $3 WHERE tenant_id = $1 AND id = $2');
const REMOVE = sql('DELETE FROM identity_users WHERE tenant_id = $1 AND id = $2');

const counterOf = (storeId: string) => `users:${storeId}`;

const OF_USER = USER_COLUMNS.split(',')
  .map((column) => `u.${column.trim()}`)
  .join(', ');

/** A user of the store that the second and third value name, with more columns of either. */
const inStore = (more: string, condition: string): string =>
  `SELECT ${OF_USER}, ${more} FROM identity_stores s
    JOIN identity_users u ON u.tenant_id = s.tenant_id AND u.store_id = s.id AND ${condition}
    WHERE s.tenant_id = $1 AND s.environment = $2 AND s.name = $3`;
const HAS_ID = 'u.id = $4';
const HAS_EXT_ID = 'u.ext_id = $4';

/** Statements that also tell what the users have, for each way of asking. */
export function userStatements({ columns }: Pick<HeldParts, 'columns'>): { held: Sql; byId: Sql; byExtId: Sql } {
  const held = columns('u.id');
  return {
    held: sql(`SELECT ${columns('$2')}`),
    byId: sql(inStore(held, HAS_ID)),
    byExtId: sql(inStore(held, HAS_EXT_ID)),
  };
}

const STORE_COLUMNS = 's.status AS store_status, s.configuration AS store_configuration';
const IN_STORE_BY_ID_FOR_UPDATE = sql(`${inStore(STORE_COLUMNS, HAS_ID)} ${forUpdateOf('u')}`);
const IN_STORE_BY_EXT_ID_FOR_UPDATE = sql(`${inStore(STORE_COLUMNS, HAS_EXT_ID)} ${forUpdateOf('u')}`);

export async function findUser(db: TenantReads, storeId: string, ref: UserRef): Promise<UserRow | undefined> {
  const statement = ref.userId === undefined ? BY_EXT_ID : BY_ID;
  return openFound(db, await db.get<UserRow>(statement, [db.tenantId, storeId, await storedRef(db, ref)]));
}

/** Nobody else can change the user, nor attempt to be it, until the transaction ends. */
export async function findUserForUpdate(tx: TenantTx, storeId: string, ref: UserRef): Promise<UserRow | undefined> {
  const statement = ref.userId === undefined ? BY_EXT_ID_FOR_UPDATE : BY_ID_FOR_UPDATE;
  return openFound(tx, await tx.get<UserRow>(statement, [tx.tenantId, storeId, await storedRef(tx, ref)]));
}

export type UserInStoreRow = UserRow & { store_status: 'ACTIVE' | 'INACTIVE'; store_configuration: string };

/** The same, and what is to be known of the store. */
export async function findUserInStoreForUpdate(
  tx: TenantTx,
  { environment, storeName, ref }: { environment: 'live' | 'test'; storeName: string; ref: UserRef },
): Promise<UserInStoreRow | undefined> {
  const statement = ref.userId === undefined ? IN_STORE_BY_EXT_ID_FOR_UPDATE : IN_STORE_BY_ID_FOR_UPDATE;
  const values = [tx.tenantId, environment, storeName, await storedRef(tx, ref)];
  return openFound(tx, await tx.get<UserInStoreRow>(statement, values));
}

export async function addUser(tx: TenantTx, row: UserRow): Promise<void> {
  const stored = await toStored(tx, row);
  await tx.run(ADD, [
    ...[
      tx.tenantId,
      row.id,
      row.store_id,
      stored.ext_id,
      stored.ext_id_folded,
      stored.ext_sealed,
      row.status,
      row.temp_lock_until,
    ],
    ...[row.sealed, row.locale, row.time_zone, row.created_at, row.last_updated_at, row.last_success_at],
  ]);
  await addToCounter(tx, counterOf(row.store_id), 1);
}

export async function changeUser(tx: TenantTx, row: UserRow): Promise<void> {
  const stored = await toStored(tx, row);
  await tx.run(CHANGE, [
    ...[tx.tenantId, row.id, stored.ext_id, stored.ext_id_folded, stored.ext_sealed, row.status, row.temp_lock_until],
    ...[row.sealed, row.locale, row.time_zone, row.last_updated_at],
  ]);
}

export async function recordSuccess(tx: TenantTx, userId: string, now: number): Promise<void> {
  await tx.run(SUCCEEDED, [tx.tenantId, userId, now]);
}

export async function tempLockUser(tx: TenantTx, userId: string, until: number): Promise<void> {
  await tx.run(TEMP_LOCK, [tx.tenantId, userId, until]);
}

/** Whatever belongs to the user goes with it. */
export async function removeUser(tx: TenantTx, row: UserRow): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, row.id]);
  await addToCounter(tx, counterOf(row.store_id), -1);
}

const OLDEST = sql(`SELECT created_at AS at FROM identity_users WHERE tenant_id = $1
  AND id = (SELECT min(id) FROM identity_users WHERE tenant_id = $1)`);
const AMONG = sql(`SELECT u.id, s.id AS "storeId", s.name, s.environment FROM identity_users u
  JOIN identity_stores s ON s.tenant_id = u.tenant_id AND s.id = u.store_id WHERE u.tenant_id = $1 AND u.id ${inJson('$2')}`);

/** When the first user was made that is still there. */
export async function oldestUser(db: TenantReads): Promise<number | undefined> {
  return (await db.get<{ at: number }>(OLDEST, [db.tenantId]))?.at;
}

export type FoundUser = { id: string; storeId: string; name: string; environment: 'live' | 'test' };

/** Those of some users who are there, with their stores, whichever these are. */
export function usersAmong(db: TenantReads, ids: readonly string[]): Promise<FoundUser[]> {
  return db.all<FoundUser>(AMONG, [db.tenantId, JSON.stringify(ids)]);
}

export function countUsers(db: TenantReads, storeId: string): Promise<number> {
  return readCounter(db, counterOf(storeId));
}
