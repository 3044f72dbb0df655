import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { openApp } from '@grove/server/app';
import type { App } from '../packages/server/src/app.ts';
import type { EventRow } from '../packages/server/src/identity-store/events/identity-events.table.ts';
import { addPolicy } from '../packages/server/src/identity-store/stores/store-policies.repository.ts';
import { addStore } from '../packages/server/src/identity-store/stores/stores.repository.ts';
import { putTotp } from '../packages/server/src/identity-store/totps/totps.repository.ts';
import { storedExtId } from '../packages/server/src/identity-store/users/ext-id-seal.ts';
import { sealAttributes } from '../packages/server/src/identity-store/users/user-view.ts';
import { addUser, type UserRow } from '../packages/server/src/identity-store/users/users.repository.ts';
import { newId } from '../packages/server/src/kernel/ids.ts';
import { temporaryFolder } from './clean-up.ts';
import { type BenchPlace, benchConfig } from './config.ts';
import { type Installation, type SeedOptions, seed, TENANT } from './seed.ts';

/** Installations with an identity store, for the scenarios that need one. */
export const STORE = 'bench';
export const TOTP_POLICY = {
  name: 'app',
  issuer: 'Bench',
  algorithm: 'SHA1',
  digits: 6,
  period: 15,
  window: 2,
} as const;
/** All users have the same secret, so that one code is valid for all. */
export const TOTP_SECRET = Buffer.from('a secret of 20 bytes');
/** As many users as a round of four seconds can authenticate once. */
export const TOTP_USERS = 18_000;
export const MANY_USERS = 1_000_000;
export const MANY_EVENTS = 1_000_000;
/** Only the users that the scenario reads have attributes: a million sealed values would take longer to write. */
export const ASKED_USERS = 99;
export const extIdOf = (number: number) => `user-${String(number).padStart(7, '0')}@mail.example`;
export const eventProcessOf = (number: number) => `process-${number % 1000}`;

const PER_TRANSACTION = 500;

/** Makes an installation that has only a tenant, which a scenario fills. */
export type NewInstallation = (options: SeedOptions) => Promise<Installation>;

export async function totpInstallation(create: NewInstallation = sqliteInstallation): Promise<Installation> {
  return installation(async (app, storeId) => {
    const db = app.db.of(TENANT);
    await db.write((tx) =>
      addPolicy(tx, {
        storeId,
        kind: 'TOTP',
        name: TOTP_POLICY.name,
        config: JSON.stringify(TOTP_POLICY),
        sealed: null,
        now: Date.now(),
      }),
    );
    for (let from = 0; from < TOTP_USERS; from += PER_TRANSACTION) {
      await db.write(async (tx) => {
        for (let number = from; number < from + PER_TRANSACTION; number++) {
          const user = userOf(storeId, number, Date.now());
          await addUser(tx, user);
          const id = newId(Date.now());
          const { name: policy_name, algorithm, digits, period } = TOTP_POLICY;
          const sealed = await app.vault.sealFor(tx, `user:${user.id}`, `totp:${id}`, TOTP_SECRET);
          putTotp(tx, {
            user_id: user.id,
            policy_name,
            id,
            sealed,
            algorithm,
            digits,
            period,
            last_step: -1,
            created_at: Date.now(),
          });
        }
      });
    }
    return () => undefined;
  }, create);
}

/** A million users, of which a scenario reads some. */
export function usersInstallation(): Promise<Installation> {
  return installation(async (app, storeId, place) => {
    const now = Date.now();
    const askedUsers = new Map<number, UserRow>();
    await app.db.of(TENANT).write(async (tx) => {
      for (let at = 0; at < ASKED_USERS; at++) {
        const number = askedUser(at);
        const user = userOf(storeId, number, now - MANY_USERS + number);
        const attributes = { department: 'Sales', memberSince: '2019', note: 'nothing in particular' };
        askedUsers.set(number, { ...user, sealed: await sealAttributes(app.vault, tx, user.id, attributes) });
      }
    });
    const seal = await app.db.of(TENANT).write((tx) => tx.personal());
    if (!seal) throw new Error('there is no key of personal data');
    const rows = function* () {
      for (let number = 0; number < MANY_USERS; number++) {
        const user = askedUsers.get(number) ?? userOf(storeId, number, now - MANY_USERS + number);
        yield { ...user, ...storedExtId(seal, user) };
      }
    };
    return () => {
      writePast(place, 'identity_users', rows());
      count(place, `users:${storeId}`, MANY_USERS);
    };
  });
}

export const askedUser = (at: number) => Math.floor((at * MANY_USERS) / ASKED_USERS);

/** A million events, in a thousand processes. */
export function eventsInstallation(): Promise<Installation> {
  return installation(async (_app, _storeId, place) => {
    const now = Date.now();
    const rows = function* (): Generator<EventRow> {
      for (let number = 0; number < MANY_EVENTS; number++) {
        const at = now - MANY_EVENTS + number;
        const parent = eventProcessOf(number);
        yield {
          environment: 'live',
          id: newId(at),
          at,
          type: 'identity.authenticationSucceeded',
          store_name: STORE,
          user_id: newId(at),
          modality: 'PASSKEY',
          code: null,
          rp_id: 'example.com',
          parent_process_defn_id: parent,
          parent_process_defn_name: parent,
          parent_process_defn_version: 1,
          parent_process_instance_id: `instance-${number}`,
          child_process_defn_name: null,
          child_process_defn_version: null,
          child_process_defn_tag: null,
          parent_process_defn_folded: parent,
          child_process_defn_folded: null,
          child_process_tag_folded: null,
        };
      }
    };
    return () => writePast(place, 'identity_events', rows());
  });
}

/** `fill` writes with the server's own code and returns a function that writes to the database after the server has ended. */
export async function installation(
  fill: (app: App, storeId: string, place: BenchPlace) => Promise<() => void>,
  create: NewInstallation = sqliteInstallation,
): Promise<Installation> {
  const created = await create({ keys: 1, writers: 0 });
  const { place } = created;
  const app = await openApp(benchConfig(place));
  const storeId = newId(Date.now());
  let past: () => void;
  try {
    await app.db.of(TENANT).write((tx) =>
      addStore(tx, {
        id: storeId,
        environment: 'live',
        name: STORE,
        name_folded: STORE,
        description: null,
        status: 'ACTIVE',
        configuration: '{}',
        created_at: Date.now(),
        last_updated_at: Date.now(),
      }),
    );
    past = await fill(app, storeId, place);
  } finally {
    await app.stop();
  }
  past();
  return created;
}

async function sqliteInstallation(options: SeedOptions): Promise<Installation> {
  const folder = temporaryFolder();
  const place = { dataFolder: folder.path };
  return { place, seeded: await seed(place, options), remove: async () => folder.remove() };
}

export function userOf(storeId: string, number: number, now: number): UserRow {
  const extId = extIdOf(number);
  return {
    id: newId(now),
    store_id: storeId,
    ext_id: extId,
    ext_id_folded: extId,
    status: 'ACTIVE',
    temp_lock_at: null,
    temp_lock_until: null,
    sealed: null,
    locale: 'en-GB',
    time_zone: 'Europe/London',
    created_at: now,
    last_updated_at: now,
    last_success_at: null,
  };
}

/** Writes rows directly to the database without indexes, which are built at the end. */
function writePast(place: BenchPlace, table: string, rows: Iterable<object>): void {
  const database = new DatabaseSync(join(place.dataFolder, 'grove.sqlite'), { enableForeignKeyConstraints: false });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN');
    const indexes = database
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql <> ''")
      .all(table) as { name: string; sql: string }[];
    for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
    let insert: ReturnType<DatabaseSync['prepare']> | undefined;
    for (const row of rows) {
      const columns = Object.keys(row);
      insert ??= database.prepare(
        `INSERT INTO ${table} (tenant_id, ${columns.join(', ')}) VALUES ('${TENANT}', ${columns.map(() => '?').join(', ')})`,
      );
      insert.run(...(Object.values(row) as SQLInputValue[]));
    }
    for (const { sql } of indexes) database.exec(sql);
    database.exec('COMMIT; PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}

function count(place: BenchPlace, name: string, value: number): void {
  const database = new DatabaseSync(join(place.dataFolder, 'grove.sqlite'));
  try {
    database
      .prepare('INSERT INTO counters (tenant_id, name, shard, value) VALUES (?, ?, 0, ?)')
      .run(TENANT, name, value);
  } finally {
    database.close();
  }
}
