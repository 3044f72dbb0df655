import type { TenantReads, TenantTx } from '../db/db.ts';
import { query, statement } from '../db/sql/statement.ts';

/** How many persons each API key read in each hour. */
export type KeyHour = {
  readonly environment: 'live' | 'test';
  readonly apiKeyId: string;
  /** The beginning of the hour. */
  readonly hourAt: number;
};

const OF_HOUR =
  'WHERE tenant_id = :tenant_id AND environment = :environment AND hour_at = :hourAt AND api_key_id = :apiKeyId';
type Persons = { persons: number };
const ADD = query<Persons>()(`INSERT INTO key_reads (tenant_id, environment, hour_at, api_key_id, persons)
  VALUES (:tenant_id, :environment, :hourAt, :apiKeyId, :persons)
  ON CONFLICT (tenant_id, environment, hour_at, api_key_id) DO UPDATE SET persons = key_reads.persons + excluded.persons
  RETURNING persons`);
const ONE = query<Persons>()(`SELECT persons FROM key_reads ${OF_HOUR}`);

/** Adds to the count of the hour; returns the new total. */
export async function addKeyReads(tx: TenantTx, key: KeyHour, persons: number): Promise<number> {
  const row = await ADD.get(tx, { ...key, persons });
  return Number(row?.persons ?? persons);
}

/** The count of the hour. */
export async function countKeyReads(db: TenantReads, key: KeyHour): Promise<number> {
  return Number((await ONE.get(db, key))?.persons ?? 0);
}

/** Marks the hour as alarmed. True only for the first call. */
export const markAlarmed = statement(
  `UPDATE key_reads SET alarmed_at = :now ${OF_HOUR} AND alarmed_at IS NULL`,
).changes;

/** Removes at most `limit` rows before an hour; returns how many. */
export const removeKeyReads =
  statement(`DELETE FROM key_reads WHERE tenant_id = :tenant_id AND environment = :environment
  AND (hour_at, api_key_id) IN
  (SELECT hour_at, api_key_id FROM key_reads WHERE tenant_id = :tenant_id AND environment = :environment
  AND hour_at < :before LIMIT :limit + 0)`).run;
