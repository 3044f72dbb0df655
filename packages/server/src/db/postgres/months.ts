import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startOfMonth } from '../../kernel/clock.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import type { MonthChanges, MonthlyTable, Reads } from '../db.ts';
import { connectWritable } from './hosts.ts';
import { forceRowLevelSecurity } from './row-level-security.ts';

/**
 * A table whose ids begin with the time is partitioned by month. Each month is a separate table that is created in advance.
 * Rows that belong to no month are in `<table>_other`; older rows stay in `<table>_before`, which is the former table.
 *
 * A job does all of this, and no migration: statements and keys stay the same, so every release works with both forms.
 *
 * The table refers to no other. To add or drop a part with a reference, PostgreSQL locks the other table as well; callers
 * lock the two in the opposite order, which would be a deadlock.
 */
/** Includes the current month. If the job does not run for so long, `<table>_other` receives the new rows. */
const MONTHS_AHEAD = 3;
/** While a change of the table waits for callers, new callers wait for it. So it gives up soon and tries again. */
const LOCK_TIMEOUT_MS = 100;
const MAX_TRIES = 30;
const MAX_PAUSE_MS = 300;
const ADVISORY_LOCK = 7_340_129;

export async function tendMonths(url: string, { table, now, dropBefore }: MonthlyTable): Promise<MonthChanges> {
  const client = await connectWritable(url, { application_name: 'grove-months' });
  try {
    await divide(client, table);
    await endBefore(client, table, firstIdAt(startOfMonth(now, 2)));
    const newMonths: string[] = [];
    for (let ahead = 0; ahead < MONTHS_AHEAD; ahead++) {
      if (await addMonth(client, table, startOfMonth(now, ahead))) newMonths.push(monthOf(startOfMonth(now, ahead)));
    }
    return { newMonths, endedParts: await dropMonths(client, table, firstIdAt(dropBefore)) };
  } finally {
    await client.end();
  }
}

/** The first id of the first month; undefined if the table has no months. */
export async function firstMonth({ all }: Pick<Reads, 'all'>, table: string): Promise<string | undefined> {
  const parts = await all<Part>({ text: PARTS }, [table]);
  return parts.flatMap(({ bound }) => / FROM \('([^']+)'\)/.exec(bound)?.[1] ?? []).toSorted()[0];
}

/** `2026_12`. */
const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7).replace('-', '_');

type Part = { name: string; bound: string };

const PARTS = `SELECT CAST(c.relname AS TEXT) AS name, pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass($1) ORDER BY c.relname`;

async function partsOf(client: pg.Client, table: string): Promise<Part[]> {
  return (await client.query<Part>(PARTS, [table])).rows;
}

/** The id before which a part ends; undefined for the part without a month. */
const endOf = ({ bound }: Part) => / TO \('([^']+)'\)$/.exec(bound)?.[1];

/**
 * Makes the table the only part of a new table with the same name, keys and indexes. No row is read or moved. The names of
 * keys and indexes belong to the new table, because migrations may use them.
 */
async function divide(client: pg.Client, table: string): Promise<void> {
  await inTransaction(client, async () => {
    const { rows } = await client.query('SELECT relkind FROM pg_class WHERE oid = to_regclass($1)', [table]);
    if (rows[0]?.relkind !== 'r') return;
    const before = `${table}_before`;
    const keys = await client.query<Key>(KEYS_AND_INDEXES, [table]);
    await client.query(`ALTER TABLE ${table} RENAME TO ${before}`);
    for (const { name, isIndex } of keys.rows) {
      const newName = name.replace(table, before);
      await client.query(
        isIndex
          ? `ALTER INDEX ${name} RENAME TO ${newName}`
          : `ALTER TABLE ${before} RENAME CONSTRAINT ${name} TO ${newName}`,
      );
    }
    await client.query(`CREATE TABLE ${table} (LIKE ${before} INCLUDING DEFAULTS) PARTITION BY RANGE (id)`);
    for (const { definition } of keys.rows) await client.query(definition);
    await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${before} DEFAULT`);
    await forceRowLevelSecurity(client);
  });
}

type Key = { name: string; definition: string; isIndex: boolean };

/** The keys and indexes of a table. */
const KEYS_AND_INDEXES = `SELECT conname AS name, false AS "isIndex",
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS definition
  FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype IN ('p', 'u')
  UNION ALL
  SELECT c.relname, true, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = to_regclass($1) AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
  ORDER BY "isIndex", name`;

/**
 * Ends the former table at `end`, and creates an empty part for rows that belong to no month. PostgreSQL reads all of it to
 * prove that no row is beyond, while callers read and write as usual. Until then a constraint refuses rows beyond, so `end`
 * is at least a month ahead, and the constraint is removed if anything fails.
 */
async function endBefore(client: pg.Client, table: string, end: string): Promise<void> {
  const before = `${table}_before`;
  const rule = `${before}_ends`;
  const isFirst = (await partsOf(client, table)).some(({ name, bound }) => name === before && bound === 'DEFAULT');
  if (!isFirst) return;
  const dropRule = `ALTER TABLE ${before} DROP CONSTRAINT IF EXISTS ${rule}`;
  await inTransaction(client, async () => {
    await client.query(dropRule);
    await client.query(`ALTER TABLE ${before} ADD CONSTRAINT ${rule} CHECK (id < '${end}') NOT VALID`);
  });
  try {
    await client.query(`ALTER TABLE ${before} VALIDATE CONSTRAINT ${rule}`);
    await inTransaction(client, async () => {
      await client.query(`ALTER TABLE ${table} DETACH PARTITION ${before}`);
      await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${before} FOR VALUES FROM (MINVALUE) TO ('${end}')`);
      await client.query(dropRule);
      await client.query(`CREATE TABLE ${table}_other PARTITION OF ${table} DEFAULT`);
      await forceRowLevelSecurity(client);
    });
  } catch (error) {
    await inTransaction(client, () => client.query(dropRule));
    throw error;
  }
}

/** Resolves to false if the month exists, or belongs to the former table. */
async function addMonth(client: pg.Client, table: string, start: number): Promise<boolean> {
  const name = `${table}_${monthOf(start)}`;
  const [from, to] = [firstIdAt(start), firstIdAt(startOfMonth(start, 1))];
  const other = `${table}_other`;
  return inTransaction(client, async () => {
    const parts = await partsOf(client, table);
    const isThere = parts.some((part) => part.name === name);
    const isBefore = parts.some((part) => part.name === `${table}_before` && (endOf(part) ?? '') > from);
    if (isThere || isBefore) return false;
    // Writers wait before they choose a part. One that has chosen `other` for a row of this month would be refused by it.
    await client.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
    await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`);
    // The owner must see the rows of all tenants while it moves those that came before their month was created.
    await client.query(`ALTER TABLE ${other} NO FORCE ROW LEVEL SECURITY`);
    await client.query(`WITH moved AS (DELETE FROM ${other} WHERE id >= '${from}' AND id < '${to}' RETURNING *)
      INSERT INTO ${name} SELECT * FROM moved`);
    await client.query(`ALTER TABLE ${other} FORCE ROW LEVEL SECURITY`);
    await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`);
    await forceRowLevelSecurity(client);
    return true;
  });
}

async function dropMonths(client: pg.Client, table: string, before: string): Promise<string[]> {
  const over = (await partsOf(client, table)).filter((part) => (endOf(part) ?? '~') <= before);
  for (const { name } of over) await inTransaction(client, () => client.query(`DROP TABLE IF EXISTS ${name}`));
  return over.map(({ name }) => name);
}

/** Ensures that one server changes tables at a time. If callers hold the locks, it lets them go first and tries again. */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await once(client, work);
    } catch (error) {
      const isInTheWay = error instanceof pg.DatabaseError && IN_THE_WAY.includes(error.code ?? '');
      if (!isInTheWay || tries === MAX_TRIES) throw error;
      await sleep(randomInt(MAX_PAUSE_MS));
    }
  }
}

/** A lock was not free in time, or there was a deadlock. */
const IN_THE_WAY = ['55P03', '40P01'];

async function once<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
