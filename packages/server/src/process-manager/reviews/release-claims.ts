import type { TenantDb } from '../../db/db.ts';
import { SKIP_LOCKED } from '../../db/sql/dialect.ts';
import { statement } from '../../db/sql/statement.ts';

/** Reviews that are released in one transaction. */
const AT_ONCE = 500;

/** Reads the claims of the reviewer in an index, which holds no other review. */
export const RELEASE = statement(`UPDATE process_instances SET reviewer = NULL, claimed_until = NULL
  WHERE tenant_id = :tenant_id AND id IN (
    SELECT id FROM process_instances WHERE tenant_id = :tenant_id AND status = 'REVIEW' AND reviewer = :reviewer
      AND claimed_until IS NOT NULL LIMIT ${AT_ONCE} ${SKIP_LOCKED})`);

/** Releases all claims of a reviewer who can no longer decide reviews. */
export async function releaseClaims(db: TenantDb, reviewer: string): Promise<void> {
  let released: number;
  do released = await db.write((tx) => RELEASE.run(tx, { reviewer }));
  while (released === AT_ONCE);
}
