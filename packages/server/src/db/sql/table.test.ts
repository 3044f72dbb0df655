import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { onBothEngines } from '../../../test/harness.ts';
import type { TenantId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { migrateSqlite } from '../migrate.ts';
import { bigint, FOR_UPDATE, inList } from './dialect.ts';
import { query, statement } from './statement.ts';
import { declaredTables, integer, table, text } from './table.ts';

const counters = table('counters', { tenant_id: text(), name: text(), shard: integer(), value: integer() });
const ONE = counters.select(['value', 'name'], 'WHERE tenant_id = :tenant_id AND name = :name AND shard = :shard');
const OTHERS = 'WHERE tenant_id = :tenant_id AND name <> :name';

describe('the statements of a table', () => {
  it('a select statement names its columns and numbers its parameters, each name once', () => {
    assert.equal(`${ONE}`, 'SELECT value, name FROM counters WHERE tenant_id = $1 AND name = $2 AND shard = $3');
    const twice = counters.delete('WHERE tenant_id = :tenant_id AND (name = :name OR shard > :shard AND name < :name)');
    assert.equal(`${twice}`, 'DELETE FROM counters WHERE tenant_id = $1 AND (name = $2 OR shard > $3 AND name < $2)');
  });

  it('the insert, update and upsert statements write every column under its own name', () => {
    const insert = 'INSERT INTO counters (tenant_id, name, shard, value) VALUES ($1, $2, $3, $4)';
    assert.equal(`${counters.insert()}`.trim(), insert);
    assert.equal(
      `${counters.upsert(['tenant_id', 'name', 'shard'])}`,
      `${insert} ON CONFLICT (tenant_id, name, shard) DO UPDATE SET value = excluded.value`,
    );
    assert.equal(
      `${counters.update(['value', 'shard'], 'WHERE tenant_id = :tenant_id AND name = :name')}`,
      'UPDATE counters SET value = $1, shard = $2 WHERE tenant_id = $3 AND name = $4',
    );
  });

  it('a cast with two colons in a statement is refused, because it would hide a parameter', () => {
    assert.throws(() => statement('SELECT 1::bigint'), /write CAST/);
  });

  it('a missing value, a misspelt column and a value of the wrong type do not compile', () => {
    const never = () => {
      // @ts-expect-error the shard is missing
      ONE.get({} as never, { name: 'a' });
      // @ts-expect-error a shard is a number
      ONE.get({} as never, { name: 'a', shard: '1' });
      // @ts-expect-error there is no such column
      counters.select(['valeu'], 'WHERE tenant_id = :tenant_id');
      // @ts-expect-error a row has a value
      counters.insert().run({} as never, { name: 'a', shard: 1 });
      const values = counters.select(['value'], 'WHERE tenant_id = :tenant_id').all({} as never, {});
      // @ts-expect-error the name was not selected
      void values.then((rows) => rows[0]?.name);
    };
    assert.equal(typeof never, 'function');
  });
});

onBothEngines('the rows of a table', (_engine, places) => {
  let db: Db;
  let acme: TenantId;
  let bravo: TenantId;
  before(async () => {
    db = await openTestDb(await places.create());
    [acme, bravo] = (await addTestTenants(db, 'acme', 'bravo')) as [TenantId, TenantId];
    const add = counters.insert();
    await db.of(acme).write(async (tx) => {
      for (const [at, name] of ['a', 'b', 'c'].entries()) await add.run(tx, { name, shard: at, value: at * 10 });
    });
    await db.of(bravo).write((tx) => add.run(tx, { name: 'a', shard: 0, value: 77 }));
  });
  after(() => db.close());

  it('the tenant of a statement is always that of the handle, whatever value the caller passes', async () => {
    assert.deepEqual(await ONE.get(db.of(acme), { name: 'b', shard: 1 }), { value: 10, name: 'b' });
    const forged = { name: 'a', shard: 0, tenant_id: bravo };
    assert.deepEqual(await ONE.get(db.of(acme), forged), { value: 0, name: 'a' });
  });

  it('a list statement has the requested order, size and filters, and counts everything that the filters select', async () => {
    const list = counters.list(['name', 'value'], OTHERS, { value: 'AND value >= :value', from: 'AND name < :below' });
    const read = async (params: Parameters<typeof list>[1], orderBy: string, offset: number) => {
      const paging = { orderBy, sorts: orderBy.split(',').length, size: 2, offset };
      const { rows, total } = await list(db.of(acme), params, paging);
      return [rows.map(({ name }) => name).join(), total];
    };
    assert.deepEqual(await read({ name: 'z' }, 'value DESC', 0), ['c,b', 3]);
    assert.deepEqual(await read({ name: 'z' }, 'value DESC, name ASC', 2), ['a', 3]);
    assert.deepEqual(await read({ name: 'z', value: 10 }, 'value ASC', 0), ['b,c', 2]);
    assert.deepEqual(await read({ name: 'z', value: 10, from: '', below: 'c' }, 'value ASC', 0), ['b', 1]);
    assert.deepEqual(await read({ name: 'z', value: undefined, from: '', below: 'c' }, 'value ASC', 0), ['a,b', 2]);
    assert.equal(await list.count(db.of(acme), { name: 'a' }), 2);
  });

  it('dialect words work in hand-written statements on both engines', async () => {
    const sum = query<{ total: number }>()(
      `SELECT ${bigint('sum(value)')} AS total FROM counters WHERE tenant_id = :tenant_id AND name ${inList(':names')}`,
    );
    assert.deepEqual(await sum.get(db.of(acme), { names: ['b', 'c'] }), { total: 30 });
    const locked = counters.select(['value'], `WHERE tenant_id = :tenant_id AND name = :name ${FOR_UPDATE}`);
    assert.deepEqual(await db.of(acme).write((tx) => locked.get(tx, { name: 'c' })), { value: 20 });
  });

  it('a change of one row returns whether the row existed', async () => {
    const raise = counters.update(['value'], 'WHERE tenant_id = :tenant_id AND name = :name').changes;
    assert.equal(await db.of(acme).write((tx) => raise(tx, { name: 'c', value: 21 })), true);
    assert.equal(await db.of(acme).write((tx) => raise(tx, { name: 'nobody', value: 21 })), false);
  });
});

describe('every declared table', () => {
  const home = fileURLToPath(new URL('../..', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'grove-declared-'));
  after(() => rmSync(folder, { recursive: true }));

  it('every declared table has the columns, types and optional values of the migrated database', async () => {
    const file = join(folder, 'grove.sqlite');
    migrateSqlite(file);
    const database = new DatabaseSync(file, { readOnly: true });
    for (const each of globSync('**/*.ts', { cwd: home, exclude: ['**/*.test.ts'] })) {
      if (/\/sql\/table\.ts'/.test(readFileSync(join(home, each), 'utf8')))
        await import(pathToFileURL(join(home, each)).href);
    }
    assert.ok(new Set(declaredTables.map(({ name }) => name)).size > 25);
    const faults: string[] = [];
    for (const { name, definition } of declaredTables) {
      const rows = database.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)').all(name);
      const columns = new Map(rows.map((row) => [row.name, row]));
      for (const [column, { kind, optional }] of Object.entries(definition)) {
        const stored = columns.get(column);
        const storedKind = String(stored?.type).replace('BIGINT', 'INTEGER').replace('BYTEA', 'BLOB');
        if (kind !== storedKind) faults.push(`${name}.${column} is ${stored?.type}`);
        if (optional !== (stored?.notnull === 0 && stored.pk === 0)) faults.push(`${name}.${column}: is it optional?`);
      }
    }
    database.close();
    assert.deepEqual(faults, []);
  });
});
