import { sql, type TenantDb, type TenantReads, type TenantTx } from '../../db/db.ts';

export type IdempotencyRow = { request_hash: Uint8Array; sealed: Uint8Array; created_at: number };

const FIND = sql(`SELECT request_hash, sealed, created_at FROM idempotency_keys
  WHERE tenant_id = $1 AND operation = $2 AND key = $3 AND created_at > $4`);
const REMOVE_EXPIRED = sql('DELETE FROM idempotency_keys WHERE tenant_id = $1 AND created_at <= $2');
const ANY_EXPIRED = sql('SELECT 1 AS found FROM idempotency_keys WHERE tenant_id = $1 AND created_at <= $2 LIMIT 1');
const MAX_REMOVED = 500;
const REMOVE_SOME_EXPIRED = sql(`DELETE FROM idempotency_keys WHERE tenant_id = $1 AND (operation, key) IN (
  SELECT operation, key FROM idempotency_keys WHERE tenant_id = $1 AND created_at <= $2 LIMIT ${MAX_REMOVED})`);
const ADD = sql(`INSERT INTO idempotency_keys (tenant_id, operation, key, request_hash, sealed, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`);

export type Slot = { operation: string; key: string };

export function findAnswer(
  db: TenantReads,
  { operation, key }: Slot,
  after: number,
): Promise<IdempotencyRow | undefined> {
  return db.get<IdempotencyRow>(FIND, [db.tenantId, operation, key, after]);
}

/** Some of those that have expired, so that no other writer waits for long. True if there may be more. */
export async function removeSomeExpired(db: TenantDb, expiredAt: number): Promise<boolean> {
  // Most tenants have none, and looking holds nobody up.
  if (!(await db.get(ANY_EXPIRED, [db.tenantId, expiredAt]))) return false;
  return (await db.write((tx) => tx.run(REMOVE_SOME_EXPIRED, [tx.tenantId, expiredAt]))) === MAX_REMOVED;
}

/** Answers are kept for a day; those that are older make room first. */
export async function addAnswer(tx: TenantTx, { operation, key }: Slot, row: IdempotencyRow, expiredAt: number) {
  await tx.run(REMOVE_EXPIRED, [tx.tenantId, expiredAt]);
  await tx.run(ADD, [tx.tenantId, operation, key, row.request_hash, row.sealed, row.created_at]);
}
