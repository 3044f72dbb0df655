import { sql, type TenantReads, type TenantTx } from '../db/db.ts';

/** How many persons each API key read in each hour. */
export type KeyHour = {
  readonly environment: 'live' | 'test';
  readonly apiKeyId: string;
  /** The beginning of the hour. */
  readonly hourAt: number;
};

const ADD =
  sql(`INSERT INTO key_reads (tenant_id, environment, hour_at, api_key_id, persons) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, environment, hour_at, api_key_id) DO UPDATE SET persons = key_reads.persons + excluded.persons
  RETURNING persons`);
const ONE = sql(`SELECT persons FROM key_reads
  WHERE tenant_id = $1 AND environment = $2 AND hour_at = $3 AND api_key_id = $4`);
const ALARM = sql(`UPDATE key_reads SET alarmed_at = $5
  WHERE tenant_id = $1 AND environment = $2 AND hour_at = $3 AND api_key_id = $4 AND alarmed_at IS NULL`);
const REMOVE_OLD = sql(`DELETE FROM key_reads WHERE tenant_id = $1 AND environment = $2 AND (hour_at, api_key_id) IN
  (SELECT hour_at, api_key_id FROM key_reads WHERE tenant_id = $1 AND environment = $2 AND hour_at < $3 LIMIT $4 + 0)`);

const placeOf = ({ tenantId }: TenantReads, { environment, hourAt, apiKeyId }: KeyHour) => [
  ...[tenantId, environment, hourAt, apiKeyId],
];

/** How many there are now in all. */
export async function addKeyReads(tx: TenantTx, key: KeyHour, persons: number): Promise<number> {
  const row = await tx.get<{ persons: number }>(ADD, [...placeOf(tx, key), persons]);
  return Number(row?.persons ?? persons);
}

/** How many there are in all. */
export async function countKeyReads(db: TenantReads, key: KeyHour): Promise<number> {
  return Number((await db.get<{ persons: number }>(ONE, placeOf(db, key)))?.persons ?? 0);
}

/** True for the one caller that raises the alarm. */
export async function markAlarmed(tx: TenantTx, key: KeyHour, now: number): Promise<boolean> {
  return (await tx.run(ALARM, [...placeOf(tx, key), now])) === 1;
}

/** At most `limit` of the rows before an hour; how many there were. */
export function removeKeyReads(
  tx: TenantTx,
  { environment, before, limit }: { environment: 'live' | 'test'; before: number; limit: number },
): Promise<number> {
  return tx.run(REMOVE_OLD, [tx.tenantId, environment, before, limit]);
}
