import type { api, Ok } from '@grove/contract';
import type { TenantReads } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError } from '../../kernel/errors.ts';
import { slicesOf } from '../../kernel/in-slices.ts';
import type { Vault } from '../../secrets/vault.ts';
import { isLocked, isTempLocked, type LockState, MODALITIES, type Modality } from '../attempts/lock-rules.ts';
import { type Locks, locksOf } from '../attempts/locks.repository.ts';
import { openUserRow, storedRef } from './ext-id-seal.ts';
import { userSubject } from './find-user.ts';
import { type HasPart, heldParts } from './held-parts.ts';
import { type UserRef, type UserRow, userStatements } from './users.repository.ts';

/** A user as callers see it, with its locks and a summary of each modality. */
export type User = Ok<typeof api.users.get>;
export type SummaryInfo = User['summaryInfo'];
/** The appkeys are derived from the devices. */
export type SummaryPart = Exclude<keyof SummaryInfo, 'appkeys'>;

/** Returns one part of the summary for several users, by user id; a user without that part may be missing. */
export type Summarize<P extends SummaryPart> = (
  db: TenantReads,
  userIds: readonly string[],
  now: number,
) => Promise<ReadonlyMap<string, SummaryInfo[P]>>;

type Summaries = ReturnType<Summarize<SummaryPart>>;
type ViewOptions = { now: number; has: HasPart; early?: ReturnType<typeof earlyReads> };

export type UserViews = {
  /**
   * Adds the part of a modality; each modality calls this once at start. `tables` are the tables that the part reads,
   * each with `tenant_id` and `user_id`. If a user has no row in any of them, the part is not queried.
   */
  summarize<P extends SummaryPart>(part: P, summary: Summarize<P>, tables?: readonly string[]): void;
  /** `expected`: a part that the user surely has. It is read at once; the others once it is known that the user has them. */
  userView(db: TenantReads, row: UserRow, now: number, expected?: SummaryPart): Promise<User>;
  /** Finds the user at an address with one statement. Undefined if the store or the user does not exist. */
  findUserView(db: TenantReads, at: UserAddress, now: number): Promise<User | undefined>;
  userViews(db: TenantReads, rows: readonly UserRow[], now: number): Promise<User[]>;
};

export type UserAddress = {
  readonly environment: 'live' | 'test';
  readonly storeName: string;
  readonly ref: UserRef;
};

/** The sealed data key of the user, if it was read together with the row. */
type DataKey = { readonly data_key?: Uint8Array | null };

const ATTRIBUTES = 'attributes';
const NO_LOCKS: Locks = {};

export function openUserViews({ vault }: { vault: Pick<Vault, 'openTextFor'> }): UserViews {
  const parts = new Map<SummaryPart, Summarize<SummaryPart>>();
  const userParts = heldParts();
  const environments = openStoreEnvironments();
  let statements: ReturnType<typeof userStatements> | undefined;

  /** The view of one user; queries only the parts that the user has. */
  const viewOf = async (db: TenantReads, row: UserRow & DataKey, { now, has, early }: ViewOptions): Promise<User> => {
    const summaryInfo: SummaryInfo = { devices: [], appkeys: [], passkeys: [], totps: [], biometrics: [] };
    const readPart = ([part, summary]: [SummaryPart, Summarize<SummaryPart>]) =>
      addPart(summaryInfo, row.id, part, early?.summaries.get(part) ?? summary(db, [row.id], now));
    // Queried together, because on PostgreSQL each query is a round trip.
    const [locks, attributes, environment] = await Promise.all([
      has('locks') ? locksOf(db, [row.id]).then((all) => all.get(row.id)) : undefined,
      early?.attributes ?? attributesOf(vault, db, row),
      environments.known(row) ?? environments.find(db, row),
      ...[...parts].filter(([part]) => has(part)).map(readPart),
    ]);
    return toUser(row, { environment, attributes, locks: locks ?? NO_LOCKS, summaryInfo, now });
  };

  /** The views of many users, with one query for each part. */
  const viewsOf = async (db: TenantReads, rows: readonly UserRow[], now: number): Promise<User[]> => {
    const ids = rows.map(({ id }) => id);
    const locks = await locksOf(db, ids);
    const summaries: [SummaryPart, ReadonlyMap<string, SummaryInfo[SummaryPart]>][] = [];
    for (const [part, summary] of parts) summaries.push([part, await summary(db, ids, now)]);
    const views: User[] = [];
    for (const row of rows) {
      const summaryInfo: SummaryInfo = { devices: [], appkeys: [], passkeys: [], totps: [], biometrics: [] };
      for (const [part, those] of summaries) Object.assign(summaryInfo, { [part]: those.get(row.id) ?? [] });
      const attributes = await attributesOf(vault, db, row);
      const environment = environments.known(row) ?? (await environments.find(db, row));
      views.push(toUser(row, { environment, attributes, locks: locks.get(row.id) ?? NO_LOCKS, summaryInfo, now }));
    }
    return views;
  };

  const findRow = async (db: TenantReads, { environment, storeName, ref }: UserAddress) => {
    statements ??= userStatements(userParts);
    const one = ref.userId === undefined ? statements.byExtId : statements.byId;
    return openUserRow(db, ref, await one.get(db, { environment, storeName, ref: await storedRef(db, ref) }));
  };

  return {
    summarize(part, summary, tables) {
      if (parts.has(part)) throw new Error(`the summary of ${part} is there already`);
      parts.set(part, summary as unknown as Summarize<SummaryPart>);
      if (tables) userParts.add(part, tables);
      statements = undefined;
    },
    async userViews(db, rows, now) {
      const views: User[] = [];
      for await (const slice of slicesOf(db, rows)) views.push(...(await viewsOf(db, slice, now)));
      return views;
    },
    async userView(db, row, now, expected) {
      statements ??= userStatements(userParts);
      const summary = expected && parts.get(expected)?.(db, [row.id], now);
      const early = earlyReads(attributesOf(vault, db, row), new Map(summary && [[expected, summary]]));
      const has = userParts.of(await statements.held.get(db, { id: row.id }));
      return viewOf(db, row, { now, has, early });
    },
    async findUserView(db, at, now) {
      const row = await findRow(db, at);
      return row && viewOf(db, row, { now, has: userParts.of(row) });
    },
  };
}

/** Reads that were started before it is known which parts the user has. Whoever awaits them later gets their failure. */
function earlyReads(attributes: Promise<Record<string, string>>, summaries: ReadonlyMap<SummaryPart, Summaries>) {
  for (const each of [attributes, ...summaries.values()]) each.catch(() => undefined);
  return { attributes, summaries };
}

async function addPart(summaryInfo: SummaryInfo, id: string, part: SummaryPart, summaries: Summaries): Promise<void> {
  const those = (await summaries).get(id);
  if (those) Object.assign(summaryInfo, { [part]: those });
}

/** Decrypts the attributes. Empty if the user was deleted after the row was read. */
export async function attributesOf(
  vault: Pick<Vault, 'openTextFor'>,
  db: TenantReads,
  { id, sealed, data_key }: UserRow & DataKey,
): Promise<Record<string, string>> {
  if (sealed === null) return {};
  const text = await vault.openTextFor(db, userSubject(id), ATTRIBUTES, sealed, data_key);
  return text === undefined ? {} : (JSON.parse(text) as Record<string, string>);
}

export async function sealAttributes(
  vault: Pick<Vault, 'sealFor'>,
  tx: Parameters<Vault['sealFor']>[0],
  userId: string,
  attributes: Readonly<Record<string, string>>,
): Promise<Uint8Array | null> {
  if (Object.keys(attributes).length === 0) return null;
  return vault.sealFor(tx, userSubject(userId), ATTRIBUTES, Buffer.from(JSON.stringify(attributes)));
}

type UserParts = {
  environment: User['environment'];
  attributes: Record<string, string>;
  locks: Partial<Record<Modality, LockState>>;
  summaryInfo: SummaryInfo;
  now: number;
};

export function toUser(row: UserRow, { environment, attributes, locks, summaryInfo, now }: UserParts): User {
  return {
    id: row.id,
    environment,
    ...(row.ext_id !== null && { extId: row.ext_id }),
    status: statusOf(row, now),
    attributes,
    ...(row.locale !== null && { locale: row.locale }),
    ...(row.time_zone !== null && { timeZone: row.time_zone }),
    createdDtm: toDtm(row.created_at),
    lastUpdatedDtm: toDtm(row.last_updated_at),
    ...(row.last_success_at !== null && { lastSuccessfulAuthenticationDtm: toDtm(row.last_success_at) }),
    lockInfo: lockInfoOf(row, locks, now),
    summaryInfo: summaryInfo.devices.length === 0 ? summaryInfo : withAppkeys(summaryInfo),
  };
}

function withAppkeys(summaryInfo: SummaryInfo): SummaryInfo {
  const appkeys = summaryInfo.devices.flatMap(({ deviceId, rpId, keyIds, invalidToken }) =>
    keyIds.map((keyId) => ({ keyId, rpId, deviceId, ...(invalidToken && { invalidToken }) })),
  );
  return { ...summaryInfo, appkeys };
}

export function statusOf(row: UserRow, now: number): User['status'] {
  return row.status === 'ACTIVE' && isTempLocked(lockOf(row), now) ? 'TEMP_LOCKED' : row.status;
}

function lockOf({ temp_lock_at: from, temp_lock_until: until }: UserRow) {
  return { from, until };
}

function lockInfoOf(row: UserRow, locks: UserParts['locks'], now: number): User['lockInfo'] {
  const modalities: User['lockInfo']['modalities'] = {};
  let failedCount = 0;
  let lockCount = 0;
  for (const modality of MODALITIES) {
    const state = locks[modality];
    if (!state) continue;
    failedCount += state.failed_count;
    lockCount += state.lock_count;
    modalities[modality] = {
      failedCount: state.failed_count,
      lockCount: state.lock_count,
      locked: isLocked(state, now),
      ...expiryOf({ from: state.locked_at, until: state.locked_until }, now),
    };
  }
  return {
    failedCount,
    lockCount,
    ...expiryOf(lockOf(row), now),
    modalities,
  };
}

function expiryOf(lock: ReturnType<typeof lockOf>, now: number): { tempLockExpiresDtm?: string } {
  return isTempLocked(lock, now) ? { tempLockExpiresDtm: toDtm(lock.until as number) } : {};
}

type OfStore = Pick<UserRow, 'store_id'>;

const FIND = query<{ environment: Environment }>()(
  'SELECT environment FROM identity_stores WHERE tenant_id = :tenant_id AND id = :store_id',
);
const MAX_STORES = 10_000;

/**
 * A user has the environment of its store. A store never changes it, and ids are never reused. So it is read once and
 * cached, because every authentication builds a view of a user.
 */
function openStoreEnvironments() {
  const environments = new Map<string, Environment>();
  return {
    known: ({ store_id }: OfStore) => environments.get(store_id),
    async find(db: TenantReads, { store_id }: OfStore): Promise<Environment> {
      const row = await FIND.get(db, { store_id });
      if (!row) throw new ApiError(100027);
      if (environments.size >= MAX_STORES) environments.clear();
      environments.set(store_id, row.environment);
      return row.environment;
    },
  };
}
