import { inList } from '../db/sql/dialect.ts';
import { query, statement } from '../db/sql/statement.ts';
import type { ErasedKind } from './log-entries.ts';

/** What was erased and is not yet written down outside the database. */
export type UnwrittenRow = { kind: ErasedKind; id: string };

export const addUnwritten =
  statement(`INSERT INTO unwritten_erasures (tenant_id, kind, id) VALUES (:tenant_id, :kind, :id)
  ON CONFLICT (tenant_id, kind, id) DO NOTHING`).run;

/** The rows grouped by kind. */
export const someUnwritten = query<UnwrittenRow>()(
  'SELECT kind, id FROM unwritten_erasures WHERE tenant_id = :tenant_id ORDER BY kind, id LIMIT :limit + 0',
).all;

export const removeUnwritten = statement(
  `DELETE FROM unwritten_erasures WHERE tenant_id = :tenant_id AND kind = :kind AND id ${inList(':ids')}`,
).run;
