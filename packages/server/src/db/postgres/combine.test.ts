import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../../test/harness.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { type Db, DbError, sql, type TenantTx, type Value } from '../db.ts';
import { jsonTexts } from '../sql/dialect.ts';
import { openCombiner } from './combine.ts';
import { openPostgres } from './postgres.ts';

const ACME = asTenantId('acme');
const ADD_PARENT = sql('INSERT INTO parents (id, note) VALUES ($1, $2)');
const ADD_CHILD = sql('INSERT INTO children (id, parent) VALUES ($1, $2)');
const ADD_OTHER = sql(
  'INSERT INTO others (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET changes = others.changes + 1',
);
const NOTE_OTHER = sql('UPDATE others SET note = $2 WHERE id = $1');
const REMOVE_OTHER = sql('DELETE FROM others WHERE id = $1');
const COPY_PARENTS = sql('INSERT INTO others (id) SELECT id FROM parents WHERE id = $1');
const ADD_OTHERS = sql(
  `INSERT INTO others (id, note) SELECT value, CAST($2 AS TEXT) FROM (${jsonTexts('$1')}) AS words`,
);
const ORDER = sql(`SELECT parents.position AS parent, children.position AS child, others.position AS other, others.note
  FROM parents, children, others WHERE parents.id = $1 AND children.id = $1 AND others.id = $1`);
const OTHER = sql('SELECT changes, note FROM others WHERE id = $1');

describe('changes that are sent to PostgreSQL together', () => {
  const places = testPlaces('postgres');
  let db: Db;
  before(async () => {
    const { environment } = await places.create();
    db = openPostgres({ url: environment.DATABASE_URL ?? '', maxConnections: 1, onIdleError: () => undefined });
    await db.system.write(async (tx) => {
      const make = (text: string) => tx.run({ text }, []);
      const position = "position BIGINT NOT NULL DEFAULT nextval('positions')";
      await make('CREATE SEQUENCE positions');
      await make(`CREATE TABLE parents (id TEXT PRIMARY KEY, note TEXT, ${position})`);
      await make(
        `CREATE TABLE children (id TEXT PRIMARY KEY, parent TEXT NOT NULL REFERENCES parents (id), ${position})`,
      );
      await make(
        `CREATE TABLE others (id TEXT PRIMARY KEY, note TEXT, changes INTEGER NOT NULL DEFAULT 0, ${position})`,
      );
    });
  });
  after(() => db.close());

  const write = (work: (tx: TenantTx) => unknown) =>
    db.of(ACME).write(async (tx) => {
      await work(tx);
    });
  const read = (statement: typeof ORDER, id: string) => db.of(ACME).get<Record<string, Value>>(statement, [id]);
  const statementsOf = async (work: () => Promise<unknown>) => {
    const statements = () => db.pools?.().main.statements ?? 0;
    const before = statements();
    await work();
    return statements() - before;
  };

  it('changes that are sent to PostgreSQL together are one statement, and take effect in the order of the code', async () => {
    const all = (id: string) =>
      write((tx) => {
        tx.send(ADD_PARENT, [id, null]);
        tx.send(ADD_CHILD, [id, id]);
        tx.send(ADD_OTHER, [id]);
      });
    // The first statement sets the tenant of the connection.
    await all('first');
    // Includes BEGIN and COMMIT.
    assert.equal(await statementsOf(() => all('second')), 3);
    for (const id of ['first', 'second']) {
      const row = await read(ORDER, id);
      assert.ok(row && Number(row.parent) < Number(row.child) && Number(row.child) < Number(row.other), id);
    }
  });

  it('changes that are sent to PostgreSQL together may insert several rows each', async () => {
    const count = await statementsOf(() =>
      write((tx) => {
        tx.sendAll(ADD_PARENT, [
          ['p1', 'one'],
          ['p2', 'two'],
        ]);
        tx.sendAll(ADD_CHILD, [
          ['c1', 'p1'],
          ['c2', 'p2'],
        ]);
      }),
    );
    assert.equal(count, 3);
    const rows = await db
      .of(ACME)
      .all({ text: 'SELECT id, parent FROM children WHERE parent LIKE $1 ORDER BY id' }, ['p%']);
    assert.deepEqual(rows, [
      { id: 'c1', parent: 'p1' },
      { id: 'c2', parent: 'p2' },
    ]);
  });

  it('changes that are sent to PostgreSQL together may include one with a list as parameter', async () => {
    const count = await statementsOf(() =>
      write((tx) => {
        tx.send(ADD_PARENT, ['of list', null]);
        tx.send(ADD_OTHERS, [JSON.stringify(['first of list', 'second of list']), 'both']);
      }),
    );
    assert.equal(count, 3);
    for (const id of ['first of list', 'second of list'])
      assert.deepEqual(await read(OTHER, id), { changes: 0, note: 'both' });
  });

  it('changes that are sent to PostgreSQL together of one table see each other', async () => {
    await write((tx) => {
      tx.send(ADD_OTHER, ['same']);
      tx.send(NOTE_OTHER, ['same', 'kept']);
      tx.send(ADD_OTHER, ['same']);
    });
    assert.deepEqual(await read(OTHER, 'same'), { changes: 1, note: 'kept' });
    await write((tx) => {
      tx.send(REMOVE_OTHER, ['same']);
      tx.send(ADD_PARENT, ['same', null]);
      tx.send(ADD_OTHER, ['same']);
    });
    assert.deepEqual(await read(OTHER, 'same'), { changes: 0, note: null });
  });

  it('changes that are sent to PostgreSQL together see earlier ones if they read another table', async () => {
    await write((tx) => {
      tx.send(ADD_PARENT, ['copied', null]);
      tx.send(COPY_PARENTS, ['copied']);
    });
    assert.deepEqual(await read(OTHER, 'copied'), { changes: 0, note: null });
  });

  it('changes that are sent to PostgreSQL together are all undone if one fails', async () => {
    const work = write((tx) => {
      tx.send(ADD_OTHER, ['undone']);
      tx.send(ADD_PARENT, ['first', null]);
    });
    await assert.rejects(work, (error) => error instanceof DbError && error.fault === 'unique');
    assert.equal(await read(OTHER, 'undone'), undefined);
  });

  it('changes that are sent to PostgreSQL together stay separate statements once there are many combinations', () => {
    const combine = openCombiner(1);
    const entry = (statement: typeof ORDER) => ({ statement, parameters: [], isSent: true, settle: () => undefined });
    const count = (...statements: (typeof ORDER)[]) => combine(statements.map(entry)).length;
    assert.equal(count(ADD_PARENT, ADD_CHILD), 1);
    assert.equal(count(ADD_PARENT, ADD_OTHER), 2);
    assert.equal(count(ADD_PARENT, ADD_CHILD), 1);
  });
});
