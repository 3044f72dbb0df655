import { query } from '../db/sql/statement.ts';
import { MOST_APART_MS } from '../kernel/clock.ts';
import { type CodeRow, codes } from '../process-manager/instances/journey-codes.table.ts';

const { columns } = codes;
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
