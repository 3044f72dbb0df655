import { shardOf } from '../../db/counters.ts';
import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { bigint } from '../../db/sql/dialect.ts';

/** How often something became of a step on a day. On PostgreSQL a count is spread, as other totals are. */
export type StepCount = { environment: string; definitionId: string; day: number; step: string; what: string };
export type CountedStep = { step: string; what: string; value: number };

const ADD = sql(`INSERT INTO step_counts (tenant_id, environment, definition_id, day, step, what, shard, value)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 1) ON CONFLICT (tenant_id, environment, definition_id, day, step, what, shard)
  DO UPDATE SET value = step_counts.value + excluded.value`);
const SUMS = sql(
  `SELECT step, what, ${bigint('sum(value)')} AS value FROM step_counts
  WHERE tenant_id = $1 AND environment = $2 AND definition_id = $3 AND day >= $4 AND day <= $5 GROUP BY step, what`,
  ([step, what, value]) => ({ step, what, value }),
);
const KEY = 'environment, definition_id, day, step, what, shard';
const REMOVE = sql(`DELETE FROM step_counts WHERE tenant_id = $1 AND (${KEY}) IN
  (SELECT ${KEY} FROM step_counts WHERE tenant_id = $1 AND day < $2 ORDER BY day LIMIT $3 + 0)`);

export async function countStep(tx: TenantTx, { environment, definitionId, day, step, what }: StepCount) {
  await tx.run(ADD, [tx.tenantId, environment, definitionId, day, step, what, shardOf(tx)]);
}

export function stepCounts(
  db: TenantReads,
  of: { environment: string; definitionId: string; fromDay: number; toDay: number },
): Promise<CountedStep[]> {
  return db.all<CountedStep>(SUMS, [db.tenantId, of.environment, of.definitionId, of.fromDay, of.toDay]);
}

/** How many it removed, the oldest first. */
export function removeCountsBefore(tx: TenantTx, day: number, limit: number): Promise<number> {
  return tx.run(REMOVE, [tx.tenantId, day, limit]);
}
