import type { TenantTx } from './db.ts';
import { SKIP_LOCKED } from './sql/dialect.ts';
import { query, statement } from './sql/statement.ts';

/** A window that begins in the future was stored by a wrong clock, and must not block messages until then. */
const OVER = '(message_counts.began_at <= :now - :withinMs OR message_counts.began_at > :now + :withinMs)';
const ADD =
  query<MessageCount>()(`INSERT INTO message_counts (tenant_id, name, began_at, count) VALUES (:tenant_id, :name, :now, 1)
  ON CONFLICT (tenant_id, name) DO UPDATE SET
    count = CASE WHEN ${OVER} THEN 1 ELSE message_counts.count + 1 END,
    began_at = CASE WHEN ${OVER} THEN excluded.began_at ELSE message_counts.began_at END
  RETURNING count, began_at`);

export type MessageCount = { count: number; began_at: number };

/**
 * Counts one more message under the name. A window begins with its first message, and the next window with the first message
 * after it. A concurrent count of the same name waits for this transaction, so nobody can bypass a limit.
 */
export async function countMessage(
  tx: TenantTx,
  name: string,
  { now, withinMs }: { now: number; withinMs: number },
): Promise<MessageCount> {
  const row = await ADD.get(tx, { name, now, withinMs });
  if (!row) throw new Error('the database did not return a count');
  return row;
}

// Counting locks an address, then the tenant. Waiting for an address while holding another one could deadlock.
export const removeCounts =
  statement(`DELETE FROM message_counts WHERE tenant_id = :tenant_id AND name IN (SELECT name FROM message_counts
  WHERE tenant_id = :tenant_id AND began_at <= :begunBefore LIMIT :limit + 0 ${SKIP_LOCKED})`).run;
