import type { TenantReads, TenantTx } from '../db/db.ts';
import { statement } from '../db/sql/statement.ts';
import { integer, table, text } from '../db/sql/table.ts';
import type { Environment } from '../kernel/environment.ts';

/** The number of persons that each API key read in each hour. */
export type KeyHour = {
  readonly environment: Environment;
  readonly apiKeyId: string;
  /** The beginning of the hour. */
  readonly hourAt: number;
};

const OF_HOUR =
  'WHERE tenant_id = :tenant_id AND environment = :environment AND hour_at = :hourAt AND api_key_id = :apiKeyId';
const reads = table('key_reads', {
  tenant_id: text(),
  environment: text<Environment>(),
  hour_at: integer(),
  api_key_id: text(),
  persons: integer(),
});
const ADD = reads.insert(`ON CONFLICT (tenant_id, environment, hour_at, api_key_id)
  DO UPDATE SET persons = key_reads.persons + excluded.persons RETURNING persons`);
const ONE = reads.select(['persons'], OF_HOUR);

/** Adds to the count of the hour; returns the new total. */
export async function addKeyReads(tx: TenantTx, key: KeyHour, persons: number): Promise<number> {
  const { environment, apiKeyId: api_key_id, hourAt: hour_at } = key;
  const row = await ADD.get(tx, { environment, api_key_id, hour_at, persons });
  return Number(row?.persons ?? persons);
}

/** The count of the hour. */
export async function countKeyReads(db: TenantReads, key: KeyHour): Promise<number> {
  return Number((await ONE.get(db, key))?.persons ?? 0);
}

/** Marks the hour as alarmed. Resolves to true only for the first call. */
export const markAlarmed = statement(
  `UPDATE key_reads SET alarmed_at = :now ${OF_HOUR} AND alarmed_at IS NULL`,
).changes;

/** Removes at most `limit` rows before an hour. Resolves to their number. */
export const removeKeyReads =
  statement(`DELETE FROM key_reads WHERE tenant_id = :tenant_id AND environment = :environment
  AND (hour_at, api_key_id) IN
  (SELECT hour_at, api_key_id FROM key_reads WHERE tenant_id = :tenant_id AND environment = :environment
  AND hour_at < :before LIMIT :limit + 0)`).run;
