import type { TenantReads, TenantTx } from './db.ts';
import { bigint, byBytes, inList } from './sql/dialect.ts';
import { query } from './sql/statement.ts';
import { integer, table, text } from './sql/table.ts';

/**
 * Totals of lists, updated in the transaction that changes the list. On PostgreSQL writers would wait for each other's
 * commits at a single row, so a total is spread over several, and each connection adds to its own. SQLite has one writer.
 */
const MAX_SHARDS = 16;

export type Counter = { name: string; value: number };

const counters = table('counters', { tenant_id: text(), name: text(), shard: integer(), value: integer() });
const ADD = counters.insert(
  'ON CONFLICT (tenant_id, name, shard) DO UPDATE SET value = counters.value + excluded.value',
);
const READ_TOTAL = query<Counter>()(`SELECT ${bigint('coalesce(sum(value), 0)')} AS value FROM counters
  WHERE tenant_id = :tenant_id AND name = :name`);
const READ_SEVERAL = query<Counter>()(`SELECT name, ${bigint('sum(value)')} AS value FROM counters
  WHERE tenant_id = :tenant_id AND name ${inList(':names')} GROUP BY name`);
const TAKE = query<Counter>()(`DELETE FROM counters WHERE tenant_id = :tenant_id AND name ${inList(':names')}
  RETURNING value`);

/** The row of a counter that this transaction adds to. */
export function shardOf({ connection }: TenantTx): number {
  return connection % MAX_SHARDS;
}

export async function addToCounter(tx: TenantTx, name: string, by: number): Promise<void> {
  addToCounters(tx, [{ name, value: by }]);
}

/** Adds in the order of the names, each of which occurs once: otherwise two transactions could deadlock. */
export function addToCounters(tx: TenantTx, additions: readonly Counter[]): void {
  const shard = shardOf(tx);
  const rows = additions.map(({ name, value }) => ({ name, shard, value }));
  ADD.sendAll(
    tx,
    rows.sort((one, other) => (one.name < other.name ? -1 : 1)),
  );
}

export async function readCounter(db: TenantReads, name: string): Promise<number> {
  return (await READ_TOTAL.get(db, { name }))?.value ?? 0;
}

/** The counters that have a row, which a counter gets with its first addition. */
export async function readCounters(db: TenantReads, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await READ_SEVERAL.all(db, { names });
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Removes the counters and returns the sum of their last values. */
export async function takeCounters(tx: TenantTx, names: readonly string[]): Promise<number> {
  const shards = await TAKE.all(tx, { names });
  return shards.reduce((sum, { value }) => sum + value, 0);
}

/** The counters whose names lie between `from`, which is included, and `to`, which is not. */
export const countersBetween = query<Counter>()(`SELECT name, ${bigint('sum(value)')} AS value FROM counters
  WHERE tenant_id = :tenant_id AND ${byBytes('name')} >= :from AND ${byBytes('name')} < :to GROUP BY name`).all;
