import type { TenantTx } from '../../db/db.ts';
import { countOf, statement } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { PersonKind } from '../../kernel/person-source.ts';

const requests = table('person_requests', {
  tenant_id: text(),
  id: text(),
  environment: text<Environment>(),
  action: text<'FIND' | 'ERASE'>(),
  state: text<'SEARCHING' | 'ERASING' | 'DONE' | 'FAILED'>(),
  reason: optional(text()),
  reference: optional(text()),
  selectors: optional(bytes()),
  source: integer(),
  after_id: text(),
  searched: integer(),
  total: integer(),
  created_at: integer(),
  created_by: text(),
  confirmed_at: optional(integer()),
  receipt: optional(text()),
});
const { columns } = requests;
export type PersonRequestRow = RowOf<typeof requests>;

const items = table('person_request_items', {
  tenant_id: text(),
  request_id: text(),
  kind: text<PersonKind>(),
  item_id: text(),
  erased: integer<0 | 1>(),
});
export type ItemRow = Omit<RowOf<typeof items>, 'request_id'>;

const ADD_ITEM = items.insert('ON CONFLICT (tenant_id, request_id, kind, item_id) DO NOTHING');

export const addRequest = requests.insert().run;

/** Counts the requests that are not done yet. */
export const countOpenRequests = countOf(`FROM person_requests
  WHERE tenant_id = :tenant_id AND environment = :environment AND state IN ('SEARCHING', 'ERASING')`);

export const findRequest = requests.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id').get;

export const changeRequest = requests.update(
  ['state', 'reason', 'selectors', 'source', 'after_id', 'searched', 'total', 'confirmed_at', 'receipt'],
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;

export async function addItems(
  tx: TenantTx,
  requestId: string,
  kind: PersonKind,
  ids: readonly string[],
): Promise<void> {
  for (const item_id of ids) await ADD_ITEM.run(tx, { request_id: requestId, kind, item_id, erased: 0 });
}

export const itemsOf = items.select(
  ['kind', 'item_id', 'erased'],
  'WHERE tenant_id = :tenant_id AND request_id = :requestId ORDER BY kind, item_id LIMIT :limit + 0',
).all;

export const markErased = statement(`UPDATE person_request_items SET erased = 1
  WHERE tenant_id = :tenant_id AND request_id = :requestId AND kind = :kind AND item_id = :item_id`).run;

/**
 * Removes one old FIND request with its items, of which there may be a thousand. ERASE requests stay, with their
 * receipts.
 */
export const removeOldFind = requests.delete(`WHERE tenant_id = :tenant_id AND id IN (SELECT id FROM person_requests
  WHERE tenant_id = :tenant_id AND action = 'FIND' AND created_at <= :before ORDER BY id LIMIT 1)`).changes;
