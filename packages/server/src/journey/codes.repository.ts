import { query } from '../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../db/sql/table.ts';
import { MOST_APART_MS } from '../kernel/clock.ts';

/** One-time codes other than the first of an instance. */
const codes = table('journey_codes', {
  tenant_id: text(),
  code_hash: bytes(),
  kind: text<'RESUME' | 'HANDOFF'>(),
  instance_id: text(),
  session_id: optional(text()),
  number: optional(integer()),
  /** Of a hand-off: where the device is that offered it, as JSON. */
  place: optional(text()),
  created_at: integer(),
  expires_at: integer(),
});
const { columns } = codes;
export type CodeRow = RowOf<typeof codes>;

const COLUMNS = columns.join(', ');
/** A code dated in the future was made by a wrong clock and would live too long, so it does not count. */
const GOOD = `tenant_id = :tenant_id AND code_hash = :hash AND expires_at > :now AND created_at <= :now + ${MOST_APART_MS}`;

export const findCode = codes.select(columns, `WHERE ${GOOD}`).get;

/** Spends a code: of any number of callers, one gets it. */
export const takeCode = query<CodeRow>()(`DELETE FROM journey_codes WHERE ${GOOD}
  RETURNING ${COLUMNS}`).get;

export const addCode = codes.insert().send;

/** Returns the number of removed rows. */
export const removeOffers = codes.delete(
  `WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND kind = 'HANDOFF'`,
).run;
