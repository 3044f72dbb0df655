import { integer, optional, type RowOf, table, text, WITH_NAME } from '../../db/sql/table.ts';
import { sortable } from '../../kernel/pages.ts';

export const identityStores = table('identity_stores', {
  ...WITH_NAME,
  description: optional(text()),
  status: text<'ACTIVE' | 'INACTIVE'>(),
  /** A JSON object. */
  configuration: text(),
  created_at: integer(),
  last_updated_at: integer(),
});
export type StoreRow = RowOf<typeof identityStores>;

export const SORTABLE = sortable('id', 'name', 'status', 'createdDtm', 'lastUpdatedDtm');
