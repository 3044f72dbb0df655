import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import { sortable } from '../../kernel/pages.ts';

export const identityStores = table('identity_stores', {
  tenant_id: text(),
  id: text(),
  environment: text<Environment>(),
  name: text(),
  name_folded: text(),
  description: optional(text()),
  status: text<'ACTIVE' | 'INACTIVE'>(),
  /** A JSON object. */
  configuration: text(),
  created_at: integer(),
  last_updated_at: integer(),
});
export type StoreRow = RowOf<typeof identityStores>;

export const SORTABLE = sortable('id', 'name', 'status', 'createdDtm', 'lastUpdatedDtm');
