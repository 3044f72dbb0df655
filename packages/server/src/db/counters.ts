import { sql, type TenantReads, type TenantTx } from './db.ts';
import { bigint, byBytes, inList } from './sql/dialect.ts';
import { query } from './sql/statement.ts';

/**
 * Totals of lists, kept in the transaction that changes the list. On PostgreSQL writers would wait for each other's
 * commits at a single row, so a total is spread over several, and each connection adds to its own. SQLite has one writer.
 */
const MAX_SHARDS = 16;

const ADD = sql(`INSERT INTO counters (tenant_id, name, shard, value) VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant_id, name, shard) DO UPDATE SET value = counters.value + excluded.value`);
const READ_TOTAL = sql(
  `SELECT ${bigint('coalesce(sum(value), 0)')} AS value FROM counters
  WHERE tenant_id = $1 AND name = $2`,
  ([value]) => ({ value }),
);

export type Counter = { name: string; value: number };

const SEVERAL = query<Counter>()(`SELECT name, ${bigint('sum(value)')} AS value FROM counters
  WHERE tenant_id = :tenant_id AND name ${inList(':names')} GROUP BY name`);
const TAKE = sql('DELETE FROM counters WHERE tenant_id = $1 AND name = $2 RETURNING value', ([value]) => ({ value }));

/** The row of a counter that this transaction adds to. */
export function shardOf({ connection }: TenantTx): number {
  return connection % MAX_SHARDS;
}

export async function addToCounter(tx: TenantTx, name: string, by: number): Promise<void> {
  addToCounters(tx, [{ name, value: by }]);
}

/** Each name once, in their order: two transactions that add to the same rows in opposite orders wait for each other. */
export function addToCounters(tx: TenantTx, additions: readonly Counter[]): void {
  const inOrder = additions.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  tx.sendAll(
    ADD,
    inOrder.map(({ name, value }) => [tx.tenantId, name, shardOf(tx), value]),
  );
}

export async function readCounter(db: TenantReads, name: string): Promise<number> {
  return (await db.get<{ value: number }>(READ_TOTAL, [db.tenantId, name]))?.value ?? 0;
}

/** The counters that have a row, which a counter gets with its first addition. */
export async function readCounters(db: TenantReads, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await SEVERAL.all(db, { names });
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Removes the counter and returns its last value. */
export async function takeCounter(tx: TenantTx, name: string): Promise<number> {
  const shards = await tx.all<{ value: number }>(TAKE, [tx.tenantId, name]);
  return shards.reduce((sum, { value }) => sum + value, 0);
}

/** The counters whose names lie from `from` up to `to`, which is not among them. */
export const countersBetween = query<Counter>()(`SELECT name, ${bigint('sum(value)')} AS value FROM counters
  WHERE tenant_id = :tenant_id AND ${byBytes('name')} >= :from AND ${byBytes('name')} < :to GROUP BY name`).all;
