import { shardOf } from '../../db/counters.ts';
import type { TenantTx } from '../../db/db.ts';
import { bigint } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { integer, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';

/** How often something happened to a step on a day. On PostgreSQL the counter is spread over several rows. */
const counts = table('step_counts', {
  tenant_id: text(),
  environment: text<Environment>(),
  definition_id: text(),
  day: integer(),
  step: text(),
  what: text(),
  shard: integer(),
  value: integer(),
});
export type StepCount = Omit<RowOf<typeof counts>, 'shard' | 'value'>;
export type CountedStep = Pick<RowOf<typeof counts>, 'step' | 'what' | 'value'>;

const KEY = 'environment, definition_id, day, step, what, shard';
const ADD = counts.insert(`ON CONFLICT (tenant_id, ${KEY}) DO UPDATE SET value = step_counts.value + excluded.value`);

/** Rows are written in one order: two transactions that add to them in opposite orders would deadlock. */
export function addStepCounts(tx: TenantTx, additions: readonly StepCount[]): void {
  const shard = shardOf(tx);
  const rows = additions.map((count) => ({ ...count, shard, value: 1 }));
  ADD.sendAll(
    tx,
    rows.sort((one, other) => (`${one.step} ${one.what}` < `${other.step} ${other.what}` ? -1 : 1)),
  );
}

export const stepCounts = query<CountedStep>()(`SELECT step, what, ${bigint('sum(value)')} AS value FROM step_counts
  WHERE tenant_id = :tenant_id AND environment = :environment AND definition_id = :definitionId
  AND day >= :fromDay AND day <= :toDay GROUP BY step, what`).all;

export const removeCountsBefore = counts.delete(`WHERE tenant_id = :tenant_id AND (${KEY}) IN
  (SELECT ${KEY} FROM step_counts WHERE tenant_id = :tenant_id AND day < :day ORDER BY day LIMIT :limit + 0)`).run;
