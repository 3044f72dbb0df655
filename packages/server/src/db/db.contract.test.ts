import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines } from '../../test/harness.ts';
import type { TenantId } from '../kernel/ids.ts';
import { addToCounter, readCounter } from './counters.ts';
import { type Db, DbError, isUniqueViolation, joinTransaction, sql, type TenantTx, unprepared } from './db.ts';

/** The guarantees that every repository may rely on, on both engines. */

const ADD = sql('INSERT INTO counters (tenant_id, name, shard, value) VALUES ($1, $2, 0, $3)');
const SPEND = sql('UPDATE counters SET value = 10 WHERE tenant_id = $1 AND name = $2 AND value = 1');
const NAMES = sql('SELECT name FROM counters WHERE tenant_id = $1 AND name LIKE $2 ORDER BY name');
const ADD_SECRET = sql('INSERT INTO system_secrets (name, version, sealed, created_at) VALUES ($1, $2, $3, $4)');
const ONE_SECRET = sql('SELECT version, sealed, created_at FROM system_secrets WHERE name = $1');

onBothEngines('the database', (_engine, places) => {
  let db: Db;
  let acme: TenantId;
  before(async () => {
    db = await openTestDb(await places.create());
    [acme] = await addTestTenants(db, 'acme');
  });
  after(() => db.close());

  const add = (tx: TenantTx, name: string, value = 1) => tx.run(ADD, [tx.tenantId, name, value]);
  const names = async (prefix: string) =>
    (await db.of(acme).all<{ name: string }>(NAMES, [acme, `${prefix}%`])).map(({ name }) => name);

  describe('a transaction', () => {
    it('a transaction is visible to all readers once its caller has the answer', async () => {
      const answer = await db.of(acme).write(async (tx) => {
        await add(tx, 'committed');
        return 'done';
      });
      assert.equal(answer, 'done');
      assert.deepEqual(await names('committed'), ['committed']);
    });

    it('a transaction among 40 that spend the same row at once is the only one that finds it unspent', async () => {
      await db.of(acme).write((tx) => add(tx, 'spent once'));
      const spend = () => db.of(acme).write((tx) => tx.run(SPEND, [acme, 'spent once']));
      const changes = await Promise.all(Array.from({ length: 40 }, spend));
      assert.equal(changes.filter((changed) => changed === 1).length, 1);
      assert.equal(await readCounter(db.of(acme), 'spent once'), 10);
    });

    it('a transaction that joins another is rolled back with it, and its callbacks for after the commit are not called', async () => {
      const calls: string[] = [];
      const work = (tx: TenantTx) =>
        joinTransaction(tx).write(async (inner) => {
          await add(inner, 'inner write');
          inner.afterCommit(() => void calls.push('committed'));
        });
      const undone = db.of(acme).write(async (tx) => {
        await work(tx);
        throw new Error('outer');
      });
      await assert.rejects(undone, /outer/);
      assert.deepEqual([await names('inner write'), calls], [[], []]);
      await db.of(acme).write(work);
      assert.deepEqual([await names('inner write'), calls], [['inner write'], ['committed']]);
    });

    it('a transaction that throws leaves no change, rejects with the same error, and does not harm others of its batch', async () => {
      const writes = Array.from({ length: 30 }, (_, at) =>
        db.of(acme).write(async (tx) => {
          await add(tx, `batch ${String(at).padStart(2, '0')}`);
          if (at % 3 === 1) throw new Error(`number ${at}`);
          if (at % 3 === 2) await add(tx, `batch ${String(at).padStart(2, '0')} again`);
        }),
      );
      const answers = await Promise.allSettled(writes);
      const expected: string[] = [];
      answers.forEach((answer, at) => {
        const name = `batch ${String(at).padStart(2, '0')}`;
        if (at % 3 === 1) {
          assert.equal(answer.status, 'rejected');
          assert.equal((answer.reason as Error).message, `number ${at}`);
          return;
        }
        assert.equal(answer.status, 'fulfilled');
        expected.push(name, ...(at % 3 === 2 ? [`${name} again`] : []));
      });
      assert.deepEqual(await names('batch'), expected);
    });

    it('a transaction among 200 at once commits, and none overwrites another', async () => {
      await Promise.all(Array.from({ length: 200 }, () => db.of(acme).write((tx) => addToCounter(tx, 'parallel', 1))));
      assert.equal(await readCounter(db.of(acme), 'parallel'), 200);
    });

    it('a transaction counts exactly once if it succeeded and not at all if it failed, in any mixture', async () => {
      let round = 0;
      const work = fc.array(fc.record({ by: fc.integer({ min: 1, max: 9 }), fails: fc.boolean() }), { maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(work, async (todo) => {
          round += 1;
          const counter = `mixture ${round}`;
          const answers = await Promise.allSettled(
            todo.map(({ by, fails }) =>
              db.of(acme).write(async (tx) => {
                await addToCounter(tx, counter, by);
                if (fails) throw new Error('as planned');
              }),
            ),
          );
          assert.deepEqual(
            answers.map(({ status }) => status === 'rejected'),
            todo.map(({ fails }) => fails),
          );
          const expected = todo.reduce((sum, { by, fails }) => (fails ? sum : sum + by), 0);
          assert.equal(await readCounter(db.of(acme), counter), expected);
        }),
        { numRuns: 15 },
      );
    });

    it('a transaction sees its own writes; others see them only after its end', async () => {
      await db.of(acme).write(async (tx) => {
        await addToCounter(tx, 'own', 5);
        assert.equal(await readCounter(tx, 'own'), 5);
        assert.equal(await readCounter(db.of(acme), 'own'), 0);
        await addToCounter(tx, 'own', 1);
        assert.equal(await readCounter(tx, 'own'), 6);
      });
      assert.equal(await readCounter(db.of(acme), 'own'), 6);
    });

    it('a transaction is joined by a write inside it, and both are rolled back together', async () => {
      await assert.rejects(
        db.of(acme).write(async (tx) => {
          await joinTransaction(tx).write((inner) => add(inner, 'joined'));
          assert.equal((await tx.all(NAMES, [acme, 'joined%'])).length, 1);
          throw new Error('outer');
        }),
        /outer/,
      );
      assert.deepEqual(await names('joined'), []);
      await db.of(acme).write((tx) => joinTransaction(tx).write((inner) => add(inner, 'joined')));
      assert.deepEqual(await names('joined'), ['joined']);
    });

    it('a transaction that has ended refuses late statements of its code, whether it committed or not', async () => {
      for (const fails of [false, true]) {
        let forgotten: TenantTx | undefined;
        const write = db.of(acme).write(async (tx) => {
          forgotten = tx;
          if (fails) throw new Error('as planned');
        });
        await (fails ? assert.rejects(write, /as planned/) : write);
        await assert.rejects(async () => forgotten && add(forgotten, 'forgotten'), /an await is missing/);
        await assert.rejects(async () => forgotten?.get(NAMES, [acme, '%']), /an await is missing/);
        await assert.rejects(async () => forgotten?.all(NAMES, [acme, '%']), /an await is missing/);
      }
      assert.deepEqual(await names('forgotten'), []);
    });

    it('a transaction that is being rolled back runs no more statements, which would run outside of any transaction', async () => {
      let late: Promise<unknown> = Promise.resolve();
      const write = db.of(acme).write(async (tx) => {
        late = new Promise((done) => setImmediate(done)).then(() => add(tx, 'forgotten'));
        late.catch(() => undefined);
        throw new Error('as planned');
      });
      await assert.rejects(write, /as planned/);
      await assert.rejects(late, /an await is missing/);
      assert.deepEqual(await names('forgotten'), []);
    });

    it('a transaction calls its callbacks after the commit, when its rows can be read, and never if it was rolled back', async () => {
      const calls: Promise<string[]>[] = [];
      const write = (name: string, fails: boolean) =>
        db.of(acme).write(async (tx) => {
          joinTransaction(tx).write(async (inner) => inner.afterCommit(() => calls.push(names('noted'))));
          await add(tx, name);
          if (fails) throw new Error('as planned');
        });
      await assert.rejects(write('noted not', true), /as planned/);
      await write('noted', false);
      assert.deepEqual(await Promise.all(calls), [['noted']]);
    });

    it('a transaction says that it is one, and for which tenant', async () => {
      assert.deepEqual([db.of(acme).inTransaction, db.of(acme).tenantId], [false, acme]);
      await db.of(acme).write(async (tx) => {
        assert.deepEqual([tx.inTransaction, tx.tenantId], [true, acme]);
        assert.deepEqual([joinTransaction(tx).inTransaction, joinTransaction(tx).tenantId], [true, acme]);
      });
    });
  });

  describe('a database fault', () => {
    it('a database fault of uniqueness differs from every other, and undoes the transaction', async () => {
      await db.of(acme).write((tx) => add(tx, 'once'));
      const again = db.of(acme).write(async (tx) => {
        await add(tx, 'once more');
        await add(tx, 'once');
      });
      await assert.rejects(
        again,
        (error) => error instanceof DbError && error.fault === 'unique' && isUniqueViolation(error),
      );
      assert.deepEqual(await names('once'), ['once']);
    });

    it('a database fault of a missing tenant is an error, but not a fault of uniqueness', async () => {
      const orphan = db.system.write((tx) => tx.run(ADD, ['nobody', 'orphan', 1]));
      await assert.rejects(orphan, (error) => !isUniqueViolation(error));
    });

    it('a database fault in the SQL rejects, in a read and in a write, and the next statement works', async () => {
      const wrong = unprepared('SELECT nothing FROM nowhere');
      await assert.rejects(db.of(acme).get(wrong, []));
      await assert.rejects(db.of(acme).all(wrong, []));
      await assert.rejects(db.of(acme).write((tx) => tx.run(wrong, [])));
      await db.of(acme).write((tx) => add(tx, 'after a fault'));
      assert.deepEqual(await names('after a fault'), ['after a fault']);
    });
  });

  describe('the values of a statement', () => {
    it('the parameters of a statement are placed by their number, in any order and more than once', async () => {
      const statement = sql('SELECT CAST($2 AS TEXT) AS second, CAST($1 AS TEXT) AS first, CAST($2 AS TEXT) AS again');
      for (const [first, second] of [
        ['a', 'b'],
        ['b', 'a'],
      ] as const) {
        const row = await db.system.get<object>(statement, [first, second]);
        assert.deepEqual({ ...row }, { second, first, again: second });
      }
    });

    it('the values of a row are the bytes, text, number or null that were stored', async () => {
      const everyByte = Uint8Array.from({ length: 256 }, (_, at) => at);
      const samples = [new Uint8Array(0), everyByte, everyByte.subarray(3, 9), new Uint8Array(1_000_000).fill(7)];
      for (const [at, sealed] of samples.entries()) {
        const now = 1_700_000_000_123 + at;
        await db.system.write((tx) => tx.run(ADD_SECRET, [`sample ${at}`, at + 1, sealed, now]));
        const row = await db.system.get<{ version: number; sealed: Uint8Array; created_at: number }>(ONE_SECRET, [
          `sample ${at}`,
        ]);
        assert.ok(row && Buffer.from(row.sealed).equals(Buffer.from(sealed)));
        assert.ok(row.sealed instanceof Uint8Array);
        assert.deepEqual([row.version, row.created_at], [at + 1, now]);
      }
      const texts = ["it's", '"quoted"', 'a\\b', '日本語 🌳', '$1 ? %', ' '];
      for (const text of texts) {
        const row = await db.system.get<{ text: string; empty: null }>(
          sql('SELECT CAST($1 AS TEXT) AS text, CAST($2 AS TEXT) AS empty'),
          [text, null],
        );
        assert.deepEqual([row?.text, row?.empty], [text, null]);
      }
    });

    it('the counts and sums of a statement are numbers, up to the largest exact one', async () => {
      await db.of(acme).write((tx) => add(tx, 'large', Number.MAX_SAFE_INTEGER));
      const row = await db
        .of(acme)
        .get(sql('SELECT count(*) AS total, max(value) AS value FROM counters WHERE tenant_id = $1 AND name = $2'), [
          acme,
          'large',
        ]);
      assert.deepEqual({ ...(row as object) }, { total: 1, value: Number.MAX_SAFE_INTEGER });
    });
  });

  describe('a statement', () => {
    it('a statement returns how many rows it changed', async () => {
      const change = sql("UPDATE counters SET value = 9 WHERE tenant_id = $1 AND name LIKE 'changed%'");
      const changed = await db.of(acme).write(async (tx) => {
        const before = await tx.run(change, [acme]);
        for (const name of ['changed 1', 'changed 2', 'changed 3']) assert.equal(await add(tx, name), 1);
        return [before, await tx.run(change, [acme])];
      });
      assert.deepEqual(changed, [0, 3]);
    });

    it('a statement that inserts several rows inserts each of them, or none if one cannot be inserted', async () => {
      const rows = (count: number) => Array.from({ length: count }, (_, at) => [acme, `several ${count} ${at}`, at]);
      for (const count of [0, 1, 2, 8, 21]) {
        await db.of(acme).write(async (tx) => tx.sendAll(ADD, rows(count)));
        assert.equal((await names(`several ${count} `)).length, count);
        for (const [, name, value] of rows(count)) assert.equal(await readCounter(db.of(acme), name as string), value);
      }
      const twice = db.of(acme).write(async (tx) => tx.sendAll(ADD, [...rows(3), ...rows(2)]));
      await assert.rejects(twice, (error: unknown) => isUniqueViolation(error));
      assert.deepEqual(await names('several 3 '), []);
    });

    it('a statement that finds nothing returns undefined or an empty list', async () => {
      assert.equal(await db.of(acme).get(NAMES, [acme, 'nothing like it']), undefined);
      assert.deepEqual(await db.of(acme).all(NAMES, [acme, 'nothing like it']), []);
    });

    it('a statement composed at run time works like a prepared one, many times and many at once', async () => {
      await db.of(acme).write(async (tx) => {
        for (let at = 0; at < 20; at++) await add(tx, `list ${String(at).padStart(2, '0')}`, 20 - at);
      });
      const read = async (direction: string, limit: number) => {
        const text = `SELECT name FROM counters WHERE tenant_id = $1 AND name LIKE 'list%' ORDER BY value ${direction} LIMIT ${limit} OFFSET $2`;
        return (await db.of(acme).all<{ name: string }>(unprepared(text), [acme, 1])).map(({ name }) => name);
      };
      const lists = await Promise.all(
        Array.from({ length: 40 }, (_, at) => read(at % 2 ? 'ASC' : 'DESC', 1 + (at % 5))),
      );
      lists.forEach((list, at) => {
        assert.equal(list.length, 1 + (at % 5));
        assert.equal(list[0], at % 2 ? 'list 18' : 'list 01');
      });
    });
  });

  it('the database returns its current time', async () => {
    const before = Date.now();
    const now = await db.now();
    assert.ok(Math.abs(now - before) < 5000 && Number.isInteger(now), String(now));
  });
});

onBothEngines('closing the database', (_engine, places) => {
  it('closing the database loses no write that was acknowledged, and refuses later ones', async () => {
    const place = await places.create();
    const db = await openTestDb(place);
    const [acme] = await addTestTenants(db, 'acme');
    const writes = Array.from({ length: 8 }, () => db.of(acme).write((tx) => addToCounter(tx, 'closing', 1)));
    const [answers] = await Promise.all([Promise.allSettled(writes), db.close()]);
    await assert.rejects(db.of(acme).write((tx) => addToCounter(tx, 'closing', 1)));
    await assert.rejects(db.of(acme).all(NAMES, [acme, '%']));

    const again = await openTestDb(place);
    const acknowledged = answers.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(await readCounter(again.of(acme), 'closing'), acknowledged);
    await again.close();
  });
});
