import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import type { PersonKind } from '../../kernel/person-source.ts';

export type PersonRequestRow = {
  id: string;
  environment: 'live' | 'test';
  action: 'FIND' | 'ERASE';
  state: 'SEARCHING' | 'ERASING' | 'DONE' | 'FAILED';
  reason: string | null;
  reference: string | null;
  selectors: Uint8Array | null;
  source: number;
  after_id: string;
  searched: number;
  total: number;
  created_at: number;
  created_by: string;
  confirmed_at: number | null;
  receipt: string | null;
};

export type ItemRow = { kind: PersonKind; item_id: string; erased: 0 | 1 };

const COLUMNS = `id, environment, action, state, reason, reference, selectors, source, after_id, searched, total,
  created_at, created_by, confirmed_at, receipt`;
const ADD = sql(`INSERT INTO person_requests (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`);
const ONE = sql(`SELECT ${COLUMNS} FROM person_requests WHERE tenant_id = $1 AND id = $2`);
const CHANGE = sql(`UPDATE person_requests SET state = $3, reason = $4, selectors = $5, source = $6, after_id = $7,
  searched = $8, total = $9, confirmed_at = $10, receipt = $11 WHERE tenant_id = $1 AND id = $2`);
const ADD_ITEM = sql(`INSERT INTO person_request_items (tenant_id, request_id, kind, item_id, erased)
  VALUES ($1, $2, $3, $4, 0) ON CONFLICT (tenant_id, request_id, kind, item_id) DO NOTHING`);
const ITEMS = sql(`SELECT kind, item_id, erased FROM person_request_items WHERE tenant_id = $1 AND request_id = $2
  ORDER BY kind, item_id LIMIT $3 + 0`);
const MARK_ERASED = sql(`UPDATE person_request_items SET erased = 1
  WHERE tenant_id = $1 AND request_id = $2 AND kind = $3 AND item_id = $4`);
const REMOVE_OLD = sql(`DELETE FROM person_requests WHERE tenant_id = $1 AND action = 'FIND' AND created_at <= $2`);

export async function addRequest(tx: TenantTx, row: PersonRequestRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.environment, row.action, row.state, row.reason, row.reference, row.selectors],
    ...[row.source, row.after_id, row.searched, row.total, row.created_at, row.created_by],
    ...[row.confirmed_at, row.receipt],
  ]);
}

export function findRequest(db: TenantReads, id: string): Promise<PersonRequestRow | undefined> {
  return db.get<PersonRequestRow>(ONE, [db.tenantId, id]);
}

export async function changeRequest(tx: TenantTx, row: PersonRequestRow): Promise<void> {
  await tx.run(CHANGE, [
    ...[tx.tenantId, row.id, row.state, row.reason, row.selectors, row.source, row.after_id],
    ...[row.searched, row.total, row.confirmed_at, row.receipt],
  ]);
}

export async function addItems(
  tx: TenantTx,
  requestId: string,
  kind: PersonKind,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await tx.run(ADD_ITEM, [tx.tenantId, requestId, kind, id]);
}

export function itemsOf(db: TenantReads, requestId: string, limit: number): Promise<ItemRow[]> {
  return db.all<ItemRow>(ITEMS, [db.tenantId, requestId, limit]);
}

export async function markErased(tx: TenantTx, requestId: string, { kind, item_id }: ItemRow): Promise<void> {
  await tx.run(MARK_ERASED, [tx.tenantId, requestId, kind, item_id]);
}

/** What was only looked for is forgotten; what was erased stays, with its receipt. */
export function removeOldFinds(tx: TenantTx, before: number): Promise<number> {
  return tx.run(REMOVE_OLD, [tx.tenantId, before]);
}
