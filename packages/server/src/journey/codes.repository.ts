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
  /** The place of the device that offered a hand-off, as JSON. */
  place: optional(text()),
  created_at: integer(),
  expires_at: integer(),
});
const { columns } = codes;
export type CodeRow = RowOf<typeof codes>;

const COLUMNS = columns.join(', ');
/** Excludes codes from the future, which a wrong clock made and which would live too long. */
const GOOD = `tenant_id = :tenant_id AND code_hash = :hash AND expires_at > :now AND created_at <= :now + ${MOST_APART_MS}`;

export const findCode = codes.select(columns, `WHERE ${GOOD}`).get;

/** Removes a code and returns it, so that only one of several callers gets it. */
export const takeCode = query<CodeRow>()(`DELETE FROM journey_codes WHERE ${GOOD}
  RETURNING ${COLUMNS}`).get;

export const addCode = codes.insert().send;

/** Returns the number of removed rows. */
export const removeOffers = codes.delete(
  `WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND kind = 'HANDOFF'`,
).run;
