import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';

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

export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  status: 'status',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;
