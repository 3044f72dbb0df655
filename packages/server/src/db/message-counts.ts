import type { TenantTx } from './db.ts';
import { SKIP_LOCKED } from './sql/dialect.ts';
import { integer, type RowOf, table, text } from './sql/table.ts';

const counts = table('message_counts', { tenant_id: text(), name: text(), began_at: integer(), count: integer() });
/** A window that begins in the future was stored by a wrong clock, and must not block messages until then. */
const OVER = '(message_counts.began_at <= :began_at - :withinMs OR message_counts.began_at > :began_at + :withinMs)';
const ADD = counts.insert(`ON CONFLICT (tenant_id, name) DO UPDATE SET
    count = CASE WHEN ${OVER} THEN 1 ELSE message_counts.count + 1 END,
    began_at = CASE WHEN ${OVER} THEN excluded.began_at ELSE message_counts.began_at END
  RETURNING count, began_at`);

export type MessageCount = Pick<RowOf<typeof counts>, 'count' | 'began_at'>;

/**
 * Counts one more message under the name. A window begins with its first message, and the next window with the first message
 * after it. A concurrent count of the same name waits for this transaction, so nobody can bypass a limit.
 */
export async function countMessage(
  tx: TenantTx,
  name: string,
  { now, withinMs }: { now: number; withinMs: number },
): Promise<MessageCount> {
  const row = await ADD.get(tx, { name, began_at: now, count: 1, withinMs });
  if (!row) throw new Error('the database did not return a count');
  return row;
}

// Counting locks an address, then a network, then the tenant. Waiting for an address while holding another one could deadlock.
export const removeCounts = counts.delete(`WHERE tenant_id = :tenant_id AND name IN (SELECT name FROM message_counts
  WHERE tenant_id = :tenant_id AND began_at <= :begunBefore LIMIT :limit + 0 ${SKIP_LOCKED})`).run;
