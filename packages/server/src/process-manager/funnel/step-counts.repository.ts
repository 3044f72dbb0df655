import { shardOf } from '../../db/counters.ts';
import type { TenantTx } from '../../db/db.ts';
import { bigint } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';

/** How often something happened to a step on a day. PostgreSQL spreads the counter over several rows. */
export type StepCount = { environment: Environment; definitionId: string; day: number; step: string; what: string };
export type CountedStep = { step: string; what: string; value: number };

const ADD = statement(`INSERT INTO step_counts (tenant_id, environment, definition_id, day, step, what, shard, value)
  VALUES (:tenant_id, :environment, :definitionId, :day, :step, :what, :shard, 1)
  ON CONFLICT (tenant_id, environment, definition_id, day, step, what, shard)
  DO UPDATE SET value = step_counts.value + excluded.value`);
const KEY = 'environment, definition_id, day, step, what, shard';

/** Rows are written in one order: two transactions that add to them in opposite orders would deadlock. */
export function addStepCounts(tx: TenantTx, counts: readonly StepCount[]): void {
  const inOrder = counts.toSorted((one, other) => (`${one.step} ${one.what}` < `${other.step} ${other.what}` ? -1 : 1));
  ADD.sendAll(
    tx,
    inOrder.map((count) => ({ ...count, shard: shardOf(tx) })),
  );
}

export const stepCounts = query<CountedStep>()(`SELECT step, what, ${bigint('sum(value)')} AS value FROM step_counts
  WHERE tenant_id = :tenant_id AND environment = :environment AND definition_id = :definitionId
  AND day >= :fromDay AND day <= :toDay GROUP BY step, what`).all;

export const removeCountsBefore = statement(`DELETE FROM step_counts WHERE tenant_id = :tenant_id AND (${KEY}) IN
  (SELECT ${KEY} FROM step_counts WHERE tenant_id = :tenant_id AND day < :day ORDER BY day LIMIT :limit + 0)`).run;
