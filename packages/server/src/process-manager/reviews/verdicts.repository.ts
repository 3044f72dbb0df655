import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import { findInStretches, type IdRange, STRETCH } from '../../kernel/find-in-stretches.ts';
import { slicesOf } from '../../kernel/in-slices.ts';
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

/** Verdicts of one round that are looked at. */
const MAX_IN_ROUND = 100;
export const COUNT_CAP = 10_000;
const CLOSED = `tenant_id = :tenant_id AND environment = :environment AND decides = 1
  AND id >= :from AND id < :below`;
const EDGE = query<{ id: string }>()(`SELECT id FROM review_verdicts WHERE ${CLOSED}
  ORDER BY id DESC LIMIT 1 OFFSET ${STRETCH - 1}`).get;
const IDS = verdicts.list(['id'], `WHERE ${CLOSED}`, {
  verdict: 'AND verdict = :verdict',
  reviewer: 'AND reviewer = :reviewer',
  definitionName: `AND definition_id IN (
    SELECT id FROM process_definitions WHERE tenant_id = :tenant_id AND name = :definitionName)`,
});
const OF_IDS = verdicts.select(columns, `WHERE tenant_id = :tenant_id AND id ${inList(':ids')} ORDER BY id DESC`).all;

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

/** What was decided, the newest first. There may be very many, and the filters have no index. */
export async function pageClosed(db: TenantReads, { from, below, ...filter }: ClosedFilter, { offset, size }: Paging) {
  const { environment } = filter;
  const all = { orderBy: 'id DESC', sorts: 0, size: STRETCH, offset: 0 };
  const matches = await findInStretches(
    db,
    lineOf(db.tenantId, environment),
    {
      direction: 'DESC',
      edge: async (range) => (await EDGE(db, { environment, ...range }))?.id,
      ids: async (range) => (await IDS.page(db, { ...filter, ...range }, all)).map(({ id }) => id),
    },
    { from, below, enough: Math.max(COUNT_CAP, offset + size) },
  );
  const rows: VerdictRow[] = [];
  for await (const ids of slicesOf(db, matches.slice(offset, offset + size))) rows.push(...(await OF_IDS(db, { ids })));
  return { rows, total: Math.min(matches.length, COUNT_CAP) };
}
