import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

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

/** Verdicts of one round that are looked at. */
const MAX_IN_ROUND = 100;
export const COUNT_CAP = 10_000;
const LIST = verdicts.list(columns, 'WHERE tenant_id = :tenant_id AND environment = :environment AND decides = 1', {
  verdict: 'AND verdict = :verdict',
  reviewer: 'AND reviewer = :reviewer',
  definitionName: `AND definition_id IN (
    SELECT id FROM process_definitions WHERE tenant_id = :tenant_id AND name = :definitionName)`,
  from: 'AND at >= :from',
  below: 'AND at < :below',
});

export const addVerdict = verdicts.insert().run;

/** Verdicts that decided nothing yet, the oldest first. */
export const openVerdicts = verdicts.select(
  columns,
  `WHERE tenant_id = :tenant_id AND instance_id ${inList(':instanceIds')} AND decides = 0
  ORDER BY instance_id, id LIMIT ${MAX_IN_ROUND * 200}`,
).all;

export type ClosedFilter = {
  environment: Environment;
  verdict: Verdict | undefined;
  reviewer: string | undefined;
  definitionName: string | undefined;
  from: number | undefined;
  below: number | undefined;
};

export async function pageClosed(db: TenantReads, filter: ClosedFilter, paging: Paging) {
  const { rows, total } = await LIST(db, filter, { ...paging, orderBy: 'id DESC' });
  return { rows, total: Math.min(total, COUNT_CAP) };
}
