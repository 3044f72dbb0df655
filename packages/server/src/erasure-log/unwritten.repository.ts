import { sql, type TenantReads, type TenantTx } from '../db/db.ts';
import { inJson } from '../db/sql/dialect.ts';
import type { ErasedKind } from './log-entries.ts';

/** What was erased and is not yet written down outside the database. */
export type UnwrittenRow = { kind: ErasedKind; id: string };

const ADD = sql(`INSERT INTO unwritten_erasures (tenant_id, kind, id) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, kind, id) DO NOTHING`);
const SOME = sql('SELECT kind, id FROM unwritten_erasures WHERE tenant_id = $1 ORDER BY kind, id LIMIT $2 + 0');
const REMOVE = sql(`DELETE FROM unwritten_erasures WHERE tenant_id = $1 AND kind = $2 AND id ${inJson('$3')}`);

export async function addUnwritten(tx: TenantTx, { kind, id }: UnwrittenRow): Promise<void> {
  await tx.run(ADD, [tx.tenantId, kind, id]);
}

/** Those of a kind stand together. */
export function someUnwritten(db: TenantReads, limit: number): Promise<UnwrittenRow[]> {
  return db.all<UnwrittenRow>(SOME, [db.tenantId, limit]);
}

export async function removeUnwritten(tx: TenantTx, kind: ErasedKind, ids: readonly string[]): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, kind, JSON.stringify(ids)]);
}
