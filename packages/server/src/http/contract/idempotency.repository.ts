import type { TenantDb, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';

export type IdempotencyRow = { request_hash: Uint8Array; sealed: Uint8Array; created_at: number };
/** With the instance that the answer may tell about: it is removed when that is deleted or redacted. */
export type NewAnswer = IdempotencyRow & { instance_id: string | null };
/** For this slot alone. A job removes the others: there may be hundreds of thousands, and all writers would wait. */
const REMOVE_EXPIRED = statement(`DELETE FROM idempotency_keys WHERE tenant_id = :tenant_id
  AND operation = :operation AND key = :key AND created_at <= :expiredAt`);
const ANY_EXPIRED = query<object>()(
  'SELECT 1 AS found FROM idempotency_keys WHERE tenant_id = :tenant_id AND created_at <= :expiredAt LIMIT 1',
);
const MAX_REMOVED = 500;
const REMOVE_SOME_EXPIRED =
  statement(`DELETE FROM idempotency_keys WHERE tenant_id = :tenant_id AND (operation, key) IN (
  SELECT operation, key FROM idempotency_keys WHERE tenant_id = :tenant_id
  AND created_at <= :expiredAt LIMIT ${MAX_REMOVED})`);
const ADD =
  statement(`INSERT INTO idempotency_keys (tenant_id, operation, key, request_hash, sealed, created_at, instance_id)
  VALUES (:tenant_id, :operation, :key, :request_hash, :sealed, :created_at, :instance_id)`);

export type Slot = { operation: string; key: string };

export const findAnswer = query<IdempotencyRow>()(`SELECT request_hash, sealed, created_at FROM idempotency_keys
  WHERE tenant_id = :tenant_id AND operation = :operation AND key = :key AND created_at > :after`).get;

/** Removes some expired answers, so that no other writer waits for long. True if there may be more. */
export async function removeSomeExpired(db: TenantDb, expiredAt: number): Promise<boolean> {
  // Most tenants have none, and this read locks nothing.
  if (!(await ANY_EXPIRED.get(db, { expiredAt }))) return false;
  return (await db.write((tx) => REMOVE_SOME_EXPIRED.run(tx, { expiredAt }))) === MAX_REMOVED;
}

/** Stores an answer for a day, in place of one that has expired. */
export async function addAnswer(tx: TenantTx, { operation, key }: Slot, row: NewAnswer, expiredAt: number) {
  REMOVE_EXPIRED.send(tx, { operation, key, expiredAt });
  const { request_hash, sealed, created_at, instance_id } = row;
  await ADD.run(tx, { operation, key, request_hash, sealed, created_at, instance_id });
}
