import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Modality } from './lock-rules.ts';

/** The result of each attempt of a user. */
export const authentications = table('authentications', {
  tenant_id: text(),
  id: text(),
  user_id: text(),
  modality: text<Modality>(),
  succeeded: integer(),
  code: optional(integer()),
  rp_id: optional(text()),
  created_at: integer(),
});
export type AuthenticationRow = RowOf<typeof authentications>;

export const SORTABLE = { id: 'id', createdDtm: 'id' } as const;
