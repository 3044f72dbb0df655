import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { addTestTenants, databaseOf } from '../../../test/database.ts';
import { testPlaces } from '../../../test/harness.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { addToCounter, readCounter } from '../counters.ts';
import { type Db, DbError, sql, unprepared } from '../db.ts';
import { migrate } from '../open.ts';
import { openSqlite } from './sqlite.ts';

/**
 * The features that only SQLite has: one writer, shared commits, and limits that keep one caller from stopping all
 * others.
 */

const LIMITS = { busyTimeoutMs: 50, transactionTimeoutMs: 100 };
const ADD_BLOB = sql('INSERT INTO data_keys (tenant_id, subject, sealed, created_at) VALUES ($1, $2, $3, 0)');
const SUBJECTS = sql('SELECT subject FROM data_keys WHERE tenant_id = $1 ORDER BY subject');

const faultOf = (fault: string) => (error: unknown) => error instanceof DbError && error.fault === fault;

/** Every durable commit ends with a frame of the log that contains the new size of the database. */
function commitsIn(log: string): number {
  const bytes = readFileSync(log);
  const pageSize = bytes.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + 24 + pageSize <= bytes.length; at += 24 + pageSize) {
    const current = bytes.subarray(at + 8, at + 16).equals(bytes.subarray(16, 24));
    if (current && bytes.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}

describe('SQLite', () => {
  const places = testPlaces('sqlite');
  let db: Db;
  let file: string;
  let acme: TenantId;
  let other: TenantId;
  before(async () => {
    const place = databaseOf(await places.create());
    assert.ok(place.engine === 'sqlite');
    await migrate(place);
    file = place.file;
    db = openSqlite(file, LIMITS);
    [acme, other] = await addTestTenants(db, 'acme', 'other');
  });
  after(() => db.close());

  const count = (name: string) => db.of(acme).write((tx) => addToCounter(tx, name, 1));

  it('SQLite makes one durable commit for transactions that arrive together, and one for each that arrives alone', async () => {
    const log = `${file}-wal`;
    const start = commitsIn(log);
    for (let alone = 0; alone < 10; alone++) await count('alone');
    assert.equal(commitsIn(log) - start, 10);

    await Promise.all(Array.from({ length: 200 }, () => count('together')));
    assert.equal(await readCounter(db.of(acme), 'together'), 200);
    assert.ok(commitsIn(log) - start - 10 <= 2, `${commitsIn(log) - start - 10} commits for 200 transactions`);
  });

  it('SQLite shows a write to a reader after its acknowledgement, though an earlier read of the same turn has an older snapshot', async () => {
    for (let round = 1; round <= 50; round++) {
      await db.of(acme).write(async (tx) => {
        await addToCounter(tx, 'told', 1);
        // This read takes the snapshot that the reads of this turn share.
        assert.equal(await readCounter(db.of(acme), 'told'), round - 1);
      });
      assert.equal(await readCounter(db.of(acme), 'told'), round);
    }
  });

  it('SQLite keeps serving others while one caller writes again as soon as each write is acknowledged', async () => {
    let writing = true;
    const busy = (async () => {
      while (writing) await count('greedy');
    })();
    // A timer fires only if the event loop continues.
    await new Promise((done) => setTimeout(done, 20));
    writing = false;
    await busy;
  });

  it('SQLite acknowledges no transaction before the shared commit', async () => {
    const order: string[] = [];
    const outside = new DatabaseSync(file, { readOnly: true });
    const committed = () => outside.prepare("SELECT 1 FROM counters WHERE name = 'shared 2'").get() !== undefined;
    const writes = [1, 2].map((at) => count(`shared ${at}`).then(() => order.push(`${at} ${committed()}`)));
    await Promise.all(writes);
    outside.close();
    assert.deepEqual(order, ['1 true', '2 true']);
  });

  it('SQLite aborts a transaction that waits for something outside of the database, and the others go on', async () => {
    let goOn = () => {};
    const outside = new Promise<void>((done) => {
      goOn = done;
    });
    let late: Promise<void> | undefined;
    const waits = db.of(acme).write((tx) => {
      late = (async () => {
        await addToCounter(tx, 'too late', 1);
        await outside;
        await addToCounter(tx, 'too late', 1);
      })();
      return late;
    });
    const others = Array.from({ length: 10 }, () => count('others'));
    await assert.rejects(waits, /took too long/);
    await Promise.all(others);
    goOn();
    await assert.rejects(late ?? Promise.resolve(), /an await is missing/);
    assert.equal(await readCounter(db.of(acme), 'others'), 10);
    assert.equal(await readCounter(db.of(acme), 'too late'), 0);
  });

  it('SQLite refuses as busy the 5,001st pending write of a tenant, and still serves the others and other tenants', async () => {
    const waiting = Array.from({ length: 5000 }, () => count('queue'));
    await assert.rejects(count('queue'), faultOf('busy'));
    const others = db.of(other).write((tx) => addToCounter(tx, 'queue', 1));
    await Promise.all([...waiting, others]);
    assert.equal(await readCounter(db.of(acme), 'queue'), 5000);
    assert.equal(await readCounter(db.of(other), 'queue'), 1);
  });

  it('SQLite gives a tenant the next turn although another has hundreds of slow transactions waiting', async () => {
    let done = 0;
    const firstWrite = Promise.withResolvers<void>();
    const slow = () =>
      db.of(acme).write(async (tx) => {
        firstWrite.resolve();
        for (const until = performance.now() + 5; performance.now() < until; );
        await addToCounter(tx, 'slow', 1);
        done += 1;
      });
    const flood = Array.from({ length: 300 }, slow);
    await firstWrite.promise;
    for (let turn = 1; turn <= 3; turn++) {
      const before = done;
      await db.of(other).write((tx) => addToCounter(tx, 'quick', 1));
      assert.ok(done - before < 30, `${done - before} of the other went before`);
    }
    await Promise.all(flood);
    assert.equal(await readCounter(db.of(acme), 'slow'), 300);
  });

  it('SQLite refuses writes as busy while another process holds the database, still reads, and recovers', async () => {
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(count('held'), faultOf('busy'));
    assert.equal(await readCounter(db.of(acme), 'held'), 0);
    other.exec('ROLLBACK');
    other.close();
    await count('held');
    assert.equal(await readCounter(db.of(acme), 'held'), 1);
  });

  it('SQLite rejects every transaction whose commit failed, stores nothing of them, and goes on', async () => {
    const orphan = db.system.write(async (tx) => {
      // Then the commit reports the fault, and not the statement.
      await tx.run(unprepared('PRAGMA defer_foreign_keys = ON'), []);
      await tx.run(ADD_BLOB, ['nobody', 'orphan', new Uint8Array(1)]);
    });
    const answers = await Promise.allSettled([count('failed'), orphan, count('failed')]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    assert.equal(await readCounter(db.of(acme), 'failed'), 0);
    await count('failed');
    assert.equal(await readCounter(db.of(acme), 'failed'), 1);
  });

  it('SQLite commits all waiting transactions when it is closed', async () => {
    const place = databaseOf(await places.create());
    assert.ok(place.engine === 'sqlite');
    await migrate(place);
    const closing = openSqlite(place.file);
    const [tenant] = await addTestTenants(closing, 'acme');
    const writes = Array.from({ length: 600 }, () => closing.of(tenant).write((tx) => addToCounter(tx, 'closing', 1)));
    await closing.close();
    await Promise.all(writes);
    const again = openSqlite(place.file);
    assert.equal(await readCounter(again.of(tenant), 'closing'), 600);
    await again.close();
  });

  it('SQLite reports a full disk, keeps every acknowledged transaction, stores nothing of the refused ones, and recovers', async () => {
    const pages = (text: string) =>
      db.system.write((tx) => tx.get<{ max_page_count?: number; page_count?: number }>(unprepared(text), []));
    const { page_count: used = 0 } = (await pages('PRAGMA page_count')) ?? {};
    await pages(`PRAGMA max_page_count = ${used + 40}`);
    const writes = Array.from({ length: 12 }, (_, at) =>
      db.of(acme).write(async (tx) => {
        await tx.run(ADD_BLOB, [
          acme,
          `subject ${String(at).padStart(2, '0')}`,
          new Uint8Array(at % 3 === 2 ? 500_000 : 100),
        ]);
      }),
    );
    const answers = await Promise.allSettled(writes);
    const rows = await db.of(acme).all<{ subject: string }>(SUBJECTS, [acme]);
    const acknowledged = answers.flatMap(({ status }, at) =>
      status === 'fulfilled' ? [`subject ${String(at).padStart(2, '0')}`] : [],
    );
    assert.deepEqual(
      rows.map(({ subject }) => subject),
      acknowledged,
    );
    for (const answer of answers)
      if (answer.status === 'rejected') assert.ok(faultOf('full')(answer.reason), String(answer.reason));
    assert.ok(answers.some(({ status }) => status === 'rejected'));

    await pages('PRAGMA max_page_count = 1000000');
    await db.of(acme).write((tx) => tx.run(ADD_BLOB, [acme, 'there is room again', new Uint8Array(500_000)]));
  });
});
