import type { TenantDb, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';

const answers = table('idempotency_keys', {
  tenant_id: text(),
  operation: text(),
  key: text(),
  request_hash: bytes(),
  sealed: bytes(),
  created_at: integer(),
  /** The instance that the answer may describe: the answer is removed when the instance is deleted or redacted. */
  instance_id: optional(text()),
});
type AnswerRow = RowOf<typeof answers>;
export type IdempotencyRow = Pick<AnswerRow, 'request_hash' | 'sealed' | 'created_at'>;
export type Slot = Pick<AnswerRow, 'operation' | 'key'>;
const OF_SLOT = 'WHERE tenant_id = :tenant_id AND operation = :operation AND key = :key';

/** Removes an expired answer of this slot only. A job removes the others, whose number could delay all writers. */
const REMOVE_EXPIRED = answers.delete(`${OF_SLOT} AND created_at <= :expiredAt`);
/** Answers from the future, which a wrong clock stored, are removed too; they would otherwise stay until then. */
const OVER = 'tenant_id = :tenant_id AND (created_at <= :expiredAt OR created_at > :latestAt)';
const ANY_EXPIRED = query<object>()(`SELECT 1 AS found FROM idempotency_keys WHERE ${OVER} LIMIT 1`);
const MAX_REMOVED = 500;
const REMOVE_SOME_EXPIRED =
  statement(`DELETE FROM idempotency_keys WHERE tenant_id = :tenant_id AND (operation, key) IN (
  SELECT operation, key FROM idempotency_keys WHERE ${OVER} LIMIT ${MAX_REMOVED})`);
const ADD = answers.insert();

export const findAnswer = answers.select(
  ['request_hash', 'sealed', 'created_at'],
  `${OF_SLOT} AND created_at > :after`,
).get;

/** Removes some expired answers, so that no other writer waits for long. Resolves to true if there may be more. */
export async function removeSomeExpired(db: TenantDb, over: { expiredAt: number; latestAt: number }): Promise<boolean> {
  // Most tenants have no expired answers, and this read locks nothing.
  if (!(await ANY_EXPIRED.get(db, over))) return false;
  return (await db.write((tx) => REMOVE_SOME_EXPIRED.run(tx, over))) === MAX_REMOVED;
}

/** Stores an answer for a day. It replaces an expired one. */
export async function addAnswer(tx: TenantTx, row: AnswerRow, expiredAt: number) {
  REMOVE_EXPIRED.send(tx, { operation: row.operation, key: row.key, expiredAt });
  await ADD.run(tx, row);
}
