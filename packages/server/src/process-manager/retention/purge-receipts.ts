import type { TenantDb } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';
import { DAY } from '../../kernel/clock.ts';
import { firstIdAt } from '../../kernel/ids.ts';

const BATCH = 500;

// An instance is older than its deletion, so the ids, which are in the order of time, bound the search.
const oldest = (table: string, condition = '') =>
  `DELETE FROM ${table} WHERE tenant_id = :tenant_id AND instance_id IN (
    SELECT instance_id FROM ${table} WHERE tenant_id = :tenant_id AND instance_id < :below AND deleted_at < :before
    ${condition} ORDER BY instance_id LIMIT :limit + 0)` as const;
const REMOVALS = [
  statement(oldest('instance_tombstones')),
  // An unfinished erasure is kept, however old it is, because it must still be done.
  statement(oldest('erasures', "AND state = 'ERASED'")),
  statement(oldest('redactions', "AND state = 'ERASED'")),
];

/** Removes the records of instances that were deleted or redacted so many days ago. The caller has checked the clock. */
export async function purgeReceipts(
  db: TenantDb,
  { now, days }: { now: number; days: number },
  signal?: AbortSignal,
): Promise<number> {
  const before = now - days * DAY;
  const below = firstIdAt(before);
  let sum = 0;
  for (const removal of REMOVALS) {
    for (let removed = BATCH; removed === BATCH; sum += removed) {
      signal?.throwIfAborted();
      removed = await db.write((tx) => removal.run(tx, { before, below, limit: BATCH }));
    }
  }
  return sum;
}
