import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { type TestPlace, testPlaces } from '../../../test/harness.ts';
import { startPostgres, type TestPostgres } from '../../../test/postgres.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { addToCounter, addToCounters, readCounter } from '../counters.ts';
import { type Db, DbError, sql, type TenantTx, unprepared } from '../db.ts';
import { migratePostgres } from '../migrate.ts';
import { openPostgres } from './postgres.ts';

/** The features that only PostgreSQL has: row-level security, and a server that can be unavailable. */

const ADD_KEY = sql(`INSERT INTO api_keys (tenant_id, id, environment, type, name, name_folded, status, permissions,
  secret_hash, pepper_version, created_at, last_updated_at, created_by, last_updated_by)
  VALUES ($1, $2, 'live', 'PERMANENT', $2, $2, 'ACTIVE', '[]', $3, 1, 0, 0, 'test', 'test')`);
const KEYS = unprepared('SELECT tenant_id, id FROM api_keys ORDER BY id');
const addKey = (tx: TenantTx, id: string, tenantId: string = tx.tenantId) =>
  tx.run(ADD_KEY, [tenantId, id, new Uint8Array(32)]);

const isUnavailable = (error: unknown) => error instanceof DbError && error.fault === 'unavailable';
const WITHIN_MS = 5000;

async function unavailableInTime(call: Promise<unknown>): Promise<void> {
  const start = Date.now();
  await assert.rejects(call, isUnavailable);
  const took = Date.now() - start;
  assert.ok(took < WITHIN_MS, `${took} ms`);
}

describe('row-level security', () => {
  const places = testPlaces('postgres');
  let place: TestPlace;
  let db: Db;
  let acme: TenantId;
  let other: TenantId;
  before(async () => {
    place = await places.create();
    db = await openTestDb(place);
    [acme, other] = await addTestTenants(db, 'acme', 'other');
    for (const tenant of [acme, other]) {
      await db.of(tenant).write(async (tx) => {
        for (const id of ['1', '2', '3']) await addKey(tx, `${tenant} ${id}`);
      });
    }
  });
  after(() => db.close());
  const rowsOf = (tenant: TenantId) => ['1', '2', '3'].map((id) => ({ tenant_id: tenant, id: `${tenant} ${id}` }));

  it('row-level security is forced on every table that has a tenant_id, also for the role that owns it', async () => {
    const tables = await db.system.all<{ name: string; forced: boolean; enabled: boolean; owned: boolean }>(
      unprepared(`SELECT c.relname AS name, c.relforcerowsecurity AS forced, c.relrowsecurity AS enabled,
        pg_get_userbyid(c.relowner) = current_user AS owned FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace`),
      [],
    );
    assert.ok(tables.length >= 5, `${tables.length} tables`);
    for (const { name, ...facts } of tables)
      assert.deepEqual(facts, { forced: true, enabled: true, owned: true }, name);
  });

  it('row-level security shows a tenant its own rows and no others, even to SQL that names no tenant', async () => {
    assert.deepEqual(await db.of(acme).all(KEYS, []), rowsOf(acme));
    assert.deepEqual(await db.of(other).all(KEYS, []), rowsOf(other));
    assert.deepEqual(await db.of(acme).write((tx) => tx.all(KEYS, [])), rowsOf(acme));
  });

  it('row-level security shows no rows of tenants to a connection that works for no tenant', async () => {
    assert.deepEqual(await db.system.all(KEYS, []), []);
    assert.deepEqual(await db.system.write((tx) => tx.all(KEYS, [])), []);
  });

  it('row-level security refuses to write a row for another tenant, and to give a row to another tenant', async () => {
    const refusal = /row-level security/;
    await assert.rejects(
      db.of(acme).write((tx) => addKey(tx, 'smuggled', other)),
      refusal,
    );
    const handOver = unprepared("UPDATE api_keys SET tenant_id = 'other' WHERE id = 'acme 1'");
    await assert.rejects(
      db.of(acme).write((tx) => tx.run(handOver, [])),
      refusal,
    );
    assert.deepEqual(await db.of(other).all(KEYS, []), rowsOf(other));
  });

  it('row-level security changes and deletes nothing of another tenant, even with SQL that names no tenant', async () => {
    const changed = await db
      .of(acme)
      .write(async (tx) => [
        await tx.run(unprepared("UPDATE api_keys SET description = 'mine'"), []),
        await tx.run(unprepared("DELETE FROM api_keys WHERE id = 'other 1'"), []),
      ]);
    assert.deepEqual(changed, [3, 0]);
    const descriptions = await db.of(other).all(unprepared('SELECT DISTINCT description FROM api_keys'), []);
    assert.deepEqual(descriptions, [{ description: null }]);
  });

  it('other tenants still get a connection while all transactions of one tenant wait', async () => {
    const four = await openTestDb(place, { DATABASE_POOL: '4' });
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const waiting = Array.from({ length: 12 }, () => four.of(acme).write(() => mayEnd));
    assert.deepEqual(await four.of(other).all(KEYS, []), rowsOf(other));
    assert.equal(four.pools?.().main.waiting, 9);
    end();
    await Promise.all(waiting);
    await four.close();
  });

  it('row-level security never mixes up tenants on one connection that all of them share', async () => {
    const one = await openTestDb(place, { DATABASE_POOL: '1' });
    const tenants = [acme, other, undefined];
    const reads = Array.from({ length: 200 }, async (_, at) => {
      const tenant = tenants[at % 3];
      if (!tenant) return one.system.all(KEYS, []);
      if (at % 5 === 0) return one.of(tenant).write((tx) => tx.all(KEYS, []));
      // A transaction that fails in between must not leave its tenant on the connection either.
      if (at % 7 === 0) await assert.rejects(one.of(tenant).write((tx) => tx.run(unprepared('SELECT wrong'), [])));
      return one.of(tenant).all(KEYS, []);
    });
    const answers = await Promise.all(reads);
    await one.close();
    answers.forEach((rows, at) => {
      const tenant = tenants[at % 3];
      assert.deepEqual(rows, tenant ? rowsOf(tenant) : [], `read ${at}`);
    });
  });
});

describe('PostgreSQL', () => {
  let server: TestPostgres;
  let db: Db;
  let acme: TenantId;
  let url: string;
  const { promise: idleError, resolve: onIdleError } = Promise.withResolvers<unknown>();
  before(async () => {
    server = await startPostgres();
    ({ url } = await server.createDatabase());
    await migratePostgres(url);
    db = openPostgres({ url, maxConnections: 2, onIdleError });
    [acme] = await addTestTenants(db, 'acme');
  });
  after(async () => {
    await db.close();
    await server.stop();
  });

  const count = (name: string) => db.of(acme).write((tx) => addToCounter(tx, name, 1));
  const backend = async (tx: TenantTx) => {
    const row = await tx.get<{ pid: number }>(unprepared('SELECT pg_backend_pid() AS pid'), []);
    assert.ok(row);
    return row.pid;
  };

  it('PostgreSQL never acknowledges a transaction if one of its statements failed, even if the failure was ignored', async () => {
    const ignored = db.of(acme).write(async (tx) => {
      await addToCounter(tx, 'ignored', 1);
      await tx.run(unprepared('SELECT wrong'), []).catch(() => undefined);
    });
    await assert.rejects(ignored, /nothing was committed/);
    assert.equal(await readCounter(db.of(acme), 'ignored'), 0);
  });

  it('PostgreSQL is unavailable to a transaction whose connection was cut, at once or between two statements, and recovers', async () => {
    for (const waits of [false, true]) {
      const cut = db.of(acme).write(async (tx) => {
        await addToCounter(tx, 'cut', 1);
        await db.system.get(unprepared('SELECT pg_terminate_backend($1)'), [await backend(tx)]);
        // The connection is lost while no statement runs, so nobody waits for the error.
        for (let answers = 0; waits && answers < 20; answers++) await db.now();
        await addToCounter(tx, 'cut', 1);
      });
      await unavailableInTime(cut);
      assert.equal(await readCounter(db.of(acme), 'cut'), 0);
    }
    await count('cut');
    assert.equal(await readCounter(db.of(acme), 'cut'), 1);
  });

  it('PostgreSQL is unavailable to a transaction that cannot be rolled back because its connection was cut', async () => {
    const cut = db.of(acme).write(async (tx) => {
      await db.system.get(unprepared('SELECT pg_terminate_backend($1)'), [await backend(tx)]);
      throw new Error('of the work');
    });
    await unavailableInTime(cut);
    await count('taken back');
    assert.equal(await readCounter(db.of(acme), 'taken back'), 1);
  });

  it('PostgreSQL is unavailable within five seconds when it hangs, with an open connection and with a new one', async () => {
    const newcomer = openPostgres({ url, maxConnections: 1, onIdleError: () => undefined });
    let pid = 0;
    let refusal = Promise.resolve();
    try {
      const frozen = db.of(acme).write(async (tx) => {
        pid = await backend(tx);
        process.kill(pid, 'SIGSTOP');
        server.kill('SIGSTOP');
        refusal = unavailableInTime(newcomer.now());
        await addToCounter(tx, 'frozen', 1);
        // The transaction has not reached its commit: the result of an unanswered commit would be unknown.
        await readCounter(tx, 'frozen');
      });
      await Promise.all([unavailableInTime(frozen), frozen.catch(() => refusal)]);
    } finally {
      server.kill('SIGCONT');
      if (pid) process.kill(pid, 'SIGCONT');
      await newcomer.close();
    }
    assert.equal(await readCounter(db.of(acme), 'frozen'), 0);
  });

  it('PostgreSQL is unavailable while it is down, and the pool recovers after its restart', async () => {
    await count('survives');
    server.kill('SIGQUIT');
    await server.ended();
    // The pool is notified before any statement runs; a statement would remove the broken connection from the pool.
    await idleError;
    for (const call of [() => count('down'), () => readCounter(db.of(acme), 'down'), () => db.now()]) {
      await unavailableInTime(call());
    }
    await server.restart();
    await Promise.all(Array.from({ length: 20 }, () => count('survives')));
    assert.equal(await readCounter(db.of(acme), 'survives'), 21);
    assert.equal(await readCounter(db.of(acme), 'down'), 0);
  });

  it('PostgreSQL is found among several servers: the pool uses the writable one, also after a failover', async () => {
    const standby = await startPostgres();
    const name = new URL(url).pathname.slice(1);
    const hostOf = ({ folder }: TestPostgres) => encodeURIComponent(folder);
    const both = `postgres://grove_test@${hostOf(standby)},${hostOf(server)}/${name}`;
    const setReadOnly = async (which: TestPostgres, value: string) => {
      await which.administrate(`ALTER ROLE grove_test SET default_transaction_read_only = ${value}`);
      await which.administrate("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'grove_test'");
    };
    try {
      await standby.administrate(`CREATE DATABASE ${name} OWNER grove_test`);
      await migratePostgres(both);
      const several = openPostgres({
        url: `${both}?target_session_attrs=read-write`,
        maxConnections: 2,
        onIdleError: () => undefined,
      });
      try {
        await addTestTenants(several, 'acme');
        await setReadOnly(standby, 'on');
        for (let tries = 0; tries < 4; tries++) await several.ready().catch(() => undefined);
        // The first server of the URL is read-only.
        await several.of(acme).write((tx) => addToCounter(tx, 'several', 1));
        assert.equal(await readCounter(db.of(acme), 'several'), 1);
        // The leader becomes read-only, and the other server becomes the leader.
        await setReadOnly(server, 'on');
        await setReadOnly(standby, 'off');
        for (let tries = 0; tries < 4; tries++) await several.ready().catch(() => undefined);
        await several.of(acme).write((tx) => addToCounter(tx, 'several', 7));
        assert.equal(await readCounter(several.of(acme), 'several'), 7);
      } finally {
        await several.close();
      }
    } finally {
      await setReadOnly(server, 'off');
      await standby.stop();
    }
  });

  it('PostgreSQL answers each of many simultaneous reads with its own row, also if some of them fail', async () => {
    const QUOTIENT = sql('SELECT CAST($1 AS BIGINT) AS number, 12 / CAST($1 AS BIGINT) AS quotient');
    const numbers = Array.from({ length: 50 }, (_, at) => at % 13);
    const reads = () => Promise.allSettled(numbers.map((number) => db.of(acme).get(QUOTIENT, [number])));
    for (const results of [await reads(), await reads()]) {
      for (const [at, number] of numbers.entries()) {
        const result = results[at];
        if (number === 0) {
          assert.match(String(result?.status === 'rejected' && result.reason), /division by zero/);
        } else {
          const value = { number, quotient: Math.floor(12 / number) };
          assert.deepEqual(result, { status: 'fulfilled', value });
        }
      }
    }
  });

  it('PostgreSQL needs one round trip for all simultaneous reads of one tenant', async () => {
    const ONE = sql('SELECT CAST($1 AS BIGINT) AS number');
    const read = () => Promise.all(Array.from({ length: 16 }, (_, at) => db.of(acme).get(ONE, [at])));
    await read();
    const before = db.pools?.().main.roundTrips ?? 0;
    await read();
    assert.equal((db.pools?.().main.roundTrips ?? 0) - before, 1);
  });

  it('PostgreSQL runs a statement that was first used in a transaction that failed', async () => {
    const one = openPostgres({ url, maxConnections: 1, onIdleError: () => undefined });
    const FIRST = sql('SELECT CAST($1 AS TEXT) AS word');
    const BAD = sql('SELECT 1 / CAST($1 AS BIGINT) AS quotient');
    const LATER = sql('SELECT CAST($1 AS TEXT) AS later');
    const words = (tx: Pick<TenantTx, 'get'>, zero: number) =>
      Promise.all([tx.get(FIRST, ['first']), tx.get(BAD, [zero]), tx.get(LATER, ['later'])]);
    try {
      for (let times = 0; times < 2; times++) {
        await assert.rejects(
          one.of(acme).write((tx) => words(tx, 0)),
          /division by zero/,
        );
        assert.deepEqual(await one.of(acme).write((tx) => words(tx, 1)), [
          { word: 'first' },
          { quotient: 1 },
          { later: 'later' },
        ]);
      }
    } finally {
      await one.close();
    }
  });

  it('PostgreSQL updates counters in several transactions at once, and none waits for the commit of another', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `hot ${at}`);
    const additions = names.map((name) => ({ name, value: 1 }));
    await db.of(acme).write(async (tx) => {
      addToCounters(tx, additions);
      await backend(tx);
      // This one commits while the first transaction is open.
      await db.of(acme).write(async (other) => addToCounters(other, additions));
    });
    for (const name of names) assert.equal(await readCounter(db.of(acme), name), 2);
  });

  it('PostgreSQL rolls back a transaction whose last statement fails together with its commit', async () => {
    const one = openPostgres({ url, maxConnections: 1, onIdleError: () => undefined });
    try {
      const failed = one.of(acme).write(async (tx) => {
        await addToCounter(tx, 'last', 1);
        await tx.last(sql('SELECT 1 / CAST($1 AS BIGINT) AS quotient'), [0]);
      });
      await assert.rejects(failed, /division by zero/);
      const write = one.of(acme).write(async (tx) => {
        await addToCounter(tx, 'last', 1);
        tx.send(unprepared('SELECT wrong'), []);
      });
      await assert.rejects(write, /wrong/);
      await one.of(acme).write((tx) => addToCounter(tx, 'last', 1));
      assert.equal(await readCounter(one.of(acme), 'last'), 1);
    } finally {
      await one.close();
    }
  });

  it('PostgreSQL rows have bytes in memory of their own, so that caching them keeps nothing else in memory', async () => {
    const row = await db.system.get<{ bytes: Buffer }>(unprepared("SELECT decode('00ff10', 'hex') AS bytes"), []);
    assert.deepEqual([...(row?.bytes ?? [])], [0, 255, 16]);
    assert.equal(row?.bytes.buffer.byteLength, 3);
  });
});
