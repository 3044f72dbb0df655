import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { listInStretches } from '../../db/sql/list-in-stretches.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { IdRange } from '../../kernel/id-range.ts';
import type { Paging } from '../../kernel/pages.ts';
import { lineOf } from '../../kernel/take-turns.ts';

const verdicts = table('review_verdicts', {
  tenant_id: text(),
  id: text(),
  instance_id: text(),
  environment: text<Environment>(),
  definition_id: text(),
  at: integer(),
  entered_at: integer(),
  verdict: text<Verdict>(),
  reviewer: text(),
  caller_id: text(),
  decides: integer(),
  sealed: optional(bytes()),
});
const { columns } = verdicts;
export type VerdictRow = RowOf<typeof verdicts>;
export type Verdict = 'APPROVED' | 'REJECTED' | 'ASKED_AGAIN' | 'REOPENED';

/** The verdicts that are read of one round. */
const MAX_IN_ROUND = 100;
const CLOSED = listInStretches(
  verdicts,
  'WHERE tenant_id = :tenant_id AND environment = :environment AND decides = 1',
  {
    verdict: 'AND verdict = :verdict',
    reviewer: 'AND reviewer = :reviewer',
    definitionName: `AND definition_id IN (
    SELECT id FROM process_definitions WHERE tenant_id = :tenant_id AND name = :definitionName)`,
  },
);

export const addVerdict = verdicts.insert().run;

/** Verdicts that decided nothing yet, the oldest first. */
export const openVerdicts = verdicts.select(
  columns,
  `WHERE tenant_id = :tenant_id AND instance_id ${inList(':instanceIds')} AND decides = 0
  ORDER BY instance_id, id LIMIT ${MAX_IN_ROUND * 200}`,
).all;

export type ClosedFilter = IdRange & {
  environment: Environment;
  verdict: Verdict | undefined;
  reviewer: string | undefined;
  definitionName: string | undefined;
};

/** The decisions, the newest first. There may be very many, and the filters have no index. */
export function pageClosed(db: TenantReads, { from, below, ...filter }: ClosedFilter, { offset, size }: Paging) {
  const newestFirst = { orderBy: 'id DESC', sorts: 0, offset, size };
  return CLOSED(db, lineOf(db.tenantId, filter.environment), filter, newestFirst, { from, below });
}
