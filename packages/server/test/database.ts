import { readConfig } from '../src/config.ts';
import { type Db, DbError } from '../src/db/db.ts';
import { type DbPlace, migrate, openDb } from '../src/db/open.ts';
import { asTenantId, type TenantId } from '../src/kernel/ids.ts';
import { personalSeal } from '../src/secrets/personal-seal.ts';
import { KEY_BYTES, keyFrom } from '../src/secrets/sealing.ts';
import { addTenant } from '../src/tenants/tenants.repository.ts';
import { type TestPlace, withPatience } from './harness.ts';

/** A database without an application, for the tests of the layers below one. */
export function databaseOf(place: TestPlace, environment: Record<string, string> = {}): DbPlace {
  return readConfig(withPatience({ ...place.environment, ...environment })).database;
}

export async function openTestDb(place: TestPlace, environment: Record<string, string> = {}): Promise<Db> {
  const database = databaseOf(place, environment);
  await migrate(database);
  const db = openDb(database, () => undefined);
  const key = keyFrom(Buffer.alloc(KEY_BYTES, 5));
  // Waits until the secrets of the installation are opened on it.
  db.seals.of = async ({ tenantId }) => personalSeal(tenantId, key);
  return db;
}

/** Rows of a tenant refer to the row of the tenant. */
export async function addTestTenants<const Ids extends readonly string[]>(
  db: Db,
  ...ids: Ids
): Promise<{ [K in keyof Ids]: TenantId }> {
  for (const id of ids) {
    await db.system.write((tx) => addTenant(tx, { id, name: id, status: 'ACTIVE', created_at: 0 }));
  }
  return ids.map(asTenantId) as { [K in keyof Ids]: TenantId };
}

/**
 * The same database on a connection that can be cut: a transaction of the queues is committed, and its answer is lost.
 * `after` is the number of answers that still arrive.
 */
export function withLostAnswers(db: Db): { db: Db; loseNextAnswer(options?: { after: number }): void } {
  let remaining = Number.POSITIVE_INFINITY;
  const { system } = db.aside;
  const write: typeof system.write = async (work) => {
    const result = await system.write(work);
    remaining -= 1;
    if (remaining >= 0) return result;
    remaining = Number.POSITIVE_INFINITY;
    throw new DbError('unavailable', new Error('the answer was lost'));
  };
  return {
    db: { ...db, aside: { ...db.aside, system: { ...system, write } } },
    loseNextAnswer({ after } = { after: 0 }) {
      remaining = after;
    },
  };
}
