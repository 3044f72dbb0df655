import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addTestTenants, databaseOf } from '../../../test/database.ts';
import { testPlaces } from '../../../test/harness.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { addToCounter, readCounter } from '../counters.ts';
import { type Db, sql, type TenantTx } from '../db.ts';
import { migrate } from '../open.ts';
import { openSqlite } from './sqlite.ts';

/** Transactions that may run again have no savepoint, and must be as atomic as those with one. */

const RETURNING = sql(`UPDATE counters SET value = value + 1 WHERE tenant_id = $1 AND name = $2 RETURNING value`);
const AGAIN = { runsAgain: true };

describe('transactions that may run again', () => {
  const places = testPlaces('sqlite');
  let db: Db;
  let acme: TenantId;
  let other: TenantId;
  before(async () => {
    const place = databaseOf(await places.create());
    assert.ok(place.engine === 'sqlite');
    await migrate(place);
    db = openSqlite(place.file);
    [acme, other] = await addTestTenants(db, 'acme', 'other');
    await db.of(acme).write((tx) => addToCounter(tx, 'there', 1));
  });
  after(() => db.close());

  const failing = (tx: TenantTx) =>
    addToCounter(tx, 'failed', 1).then(() => {
      throw new Error('on purpose');
    });
  const isOnPurpose = /on purpose/;

  /** After a failure, batches use savepoints for a while, until many others have succeeded. */
  const calm = async () => {
    for (let batch = 0; batch < 40; batch++) await db.of(acme).write((tx) => addToCounter(tx, 'calm', 1));
  };

  /** Adds one to a counter, and counts its calls and its callbacks after the commit. */
  const counting = (name: string) => {
    const counts = { calls: 0, callbacks: 0 };
    const work = async (tx: TenantTx) => {
      counts.calls += 1;
      tx.afterCommit(() => {
        counts.callbacks += 1;
      });
      await addToCounter(tx, name, 1);
      return counts.calls;
    };
    return { counts, work };
  };

  it('transactions that may run again are committed once each although one of them fails after it has written, and their callbacks run once', async () => {
    await calm();
    const [early, late, foreign] = [counting('mine'), counting('mine'), counting('theirs')];
    const [first, failure, second, third] = await Promise.allSettled([
      db.of(acme).write(early.work, AGAIN),
      db.of(acme).write(failing, AGAIN),
      db.of(acme).write(late.work, AGAIN),
      db.of(other).write(foreign.work, AGAIN),
    ]);
    assert.ok(failure.status === 'rejected' && isOnPurpose.test(String(failure.reason)));
    assert.deepEqual(first, { status: 'fulfilled', value: 2 }, 'what the last call gave is the answer');
    assert.equal(second.status, 'fulfilled');
    assert.equal(third.status, 'fulfilled');
    for (const { counts } of [early, late, foreign]) assert.equal(counts.callbacks, 1);
    assert.equal(await readCounter(db.of(acme), 'mine'), 2);
    assert.equal(await readCounter(db.of(other), 'theirs'), 1);
    assert.equal(await readCounter(db.of(acme), 'failed'), 0);
  });

  it('transactions that may run again run once although another fails before it has written anything', async () => {
    await calm();
    const { counts, work } = counting('undisturbed');
    const failedWrite = db.of(acme).write(async (tx) => {
      await readCounter(tx, 'there');
      throw new Error('on purpose');
    }, AGAIN);
    await Promise.all([db.of(acme).write(work, AGAIN), assert.rejects(failedWrite, isOnPurpose)]);
    assert.deepEqual(counts, { calls: 1, callbacks: 1 });
  });

  it('transactions that may run again are undone if one fails after a statement that wrote and returned rows', async () => {
    await calm();
    const failed = db.of(acme).write(async (tx) => {
      assert.deepEqual(await tx.all(RETURNING, [tx.tenantId, 'there']), [{ value: 2 }]);
      throw new Error('on purpose');
    }, AGAIN);
    const { work } = counting('beside');
    await Promise.all([db.of(acme).write(work, AGAIN), assert.rejects(failed, isOnPurpose)]);
    assert.equal(await readCounter(db.of(acme), 'there'), 1);
    assert.equal(await readCounter(db.of(acme), 'beside'), 1);
  });

  it('transactions that may run again never repeat one that must not run again, whatever fails before or after it', async () => {
    await calm();
    const once = counting('once');
    const [before, , behind] = await Promise.allSettled([
      db.of(acme).write(failing, AGAIN),
      db.of(acme).write(once.work),
      db.of(acme).write(failing, AGAIN),
    ]);
    assert.equal(before.status, 'rejected');
    assert.equal(behind.status, 'rejected');
    assert.deepEqual(once.counts, { calls: 1, callbacks: 1 });
    assert.equal(await readCounter(db.of(acme), 'once'), 1);
    assert.equal(await readCounter(db.of(acme), 'failed'), 0);
  });

  it('transactions that may run again seldom run twice because those of another tenant fail all the time', async () => {
    await calm();
    const { counts, work } = counting('honest');
    for (let batch = 0; batch < 60; batch++) {
      const hostile = db.of(other).write(failing, AGAIN);
      await Promise.all([db.of(acme).write(work, AGAIN), assert.rejects(hostile, isOnPurpose)]);
    }
    assert.equal(await readCounter(db.of(acme), 'honest'), 60);
    assert.ok(counts.calls <= 63, `${counts.calls} calls for 60 transactions`);
  });

  it('transactions that may run again all fail if one of their batch continues after the database has rolled it back', async () => {
    await calm();
    const { work } = counting('lost');
    const ending = async (tx: TenantTx) => {
      await addToCounter(tx, 'lost', 1);
      // A full disk has this effect.
      await tx.run({ text: 'ROLLBACK' }, []);
    };
    const all = [work, ending, work].map((each) => db.of(acme).write<unknown>(each, AGAIN));
    for (const { status } of await Promise.allSettled(all)) assert.equal(status, 'rejected');
    assert.equal(await readCounter(db.of(acme), 'lost'), 0);
    assert.equal(await db.of(acme).write(work, AGAIN), 2, 'the next batch has nothing to do with it');
    assert.equal(await readCounter(db.of(acme), 'lost'), 1);
  });

  it('transactions that may run again are all committed, each once, among hundreds of which every third fails', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 600 }, (_, at) =>
        db.of(at % 2 ? acme : other).write(at % 3 === 0 ? failing : counting('many').work, AGAIN),
      ),
    );
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 200);
    const total = (await readCounter(db.of(acme), 'many')) + (await readCounter(db.of(other), 'many'));
    assert.equal(total, 400);
    assert.equal(await readCounter(db.of(other), 'failed'), 0);
  });
});
