import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';

/** One-time codes other than the first of an instance. */
export const codes = table('journey_codes', {
  tenant_id: text(),
  code_hash: bytes(),
  kind: text<'RESUME' | 'HANDOFF'>(),
  instance_id: text(),
  session_id: optional(text()),
  number: optional(integer()),
  /** The place of the device that offered a hand-off, as JSON. */
  place: optional(text()),
  created_at: integer(),
  expires_at: integer(),
});
export type CodeRow = RowOf<typeof codes>;
