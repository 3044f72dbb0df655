import { sql, type TenantReads, type TenantTx } from './db.ts';

/**
 * Totals of lists, kept in the transaction that changes the list. On PostgreSQL writers would wait for each other's
 * commits at a single row, so a total is spread over several; SQLite has one writer, and one row is read sooner.
 */
const SHARDS = { sqlite: 1, postgres: 16 } as const;

const ADD = sql(`INSERT INTO counters (tenant_id, name, shard, value) VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant_id, name, shard) DO UPDATE SET value = counters.value + excluded.value`);
const READ = sql(
  `SELECT /*postgres CAST(*/coalesce(sum(value), 0)/*postgres  AS BIGINT)*/ AS value FROM counters
  WHERE tenant_id = $1 AND name = $2`,
  ([value]) => ({ value }),
);

// Names are compared byte by byte on both engines: the range of a prefix is a range.
const BETWEEN = sql(
  `SELECT name, /*postgres CAST(*/sum(value)/*postgres  AS BIGINT)*/ AS value FROM counters
  WHERE tenant_id = $1 AND name /*postgres COLLATE "C"*/ >= $2 AND name /*postgres COLLATE "C"*/ < $3 GROUP BY name`,
  ([name, value]) => ({ name, value }),
);

export async function addToCounter(tx: TenantTx, name: string, by: number): Promise<void> {
  const shard = Math.floor(Math.random() * SHARDS[tx.engine]);
  await tx.run(ADD, [tx.tenantId, name, shard, by]);
}

export async function readCounter(db: TenantReads, name: string): Promise<number> {
  return (await db.get<{ value: number }>(READ, [db.tenantId, name]))?.value ?? 0;
}

/** The counters whose names lie from `from` up to `to`, which is not among them. */
export function countersBetween(
  db: TenantReads,
  { from, to }: { from: string; to: string },
): Promise<{ name: string; value: number }[]> {
  return db.all(BETWEEN, [db.tenantId, from, to]);
}
