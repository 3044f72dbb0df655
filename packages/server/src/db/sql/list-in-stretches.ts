import { findInStretches, STRETCH } from '../../kernel/find-in-stretches.ts';
import { EVERY_ID, type IdRange, rangeBehind } from '../../kernel/id-range.ts';
import { rowsInOrder, serveOthers } from '../../kernel/in-slices.ts';
import type { TenantReads, Value } from '../db.ts';
import { inList } from './dialect.ts';
import { type Filters, type List, listOf, type PageOrder } from './list.ts';
import type { Columns, RowOf, Table } from './table.ts';

/** Such lists are counted no further than this. */
export const COUNT_CAP = 10_000;

type Params = Readonly<Record<string, Value | undefined>>;
type Page<Row> = { rows: Row[]; total: number };
type ListInStretches<Row> = (
  db: TenantReads,
  /** Callers that wait for each other: `lineOf`. */
  line: string,
  params: Params,
  paging: PageOrder,
  range?: IdRange,
) => Promise<Page<Row>>;

/** A list in the order of ids. There may be very many rows, and its filters have no index; `where` has one. */
export function listInStretches<C extends Columns>(
  table: Table<C>,
  where: string,
  filters: Filters,
): ListInStretches<RowOf<Table<C>>> {
  const inRange = `FROM ${table.name} ${where} AND id >= :from AND id < :below`;
  const edges = listOf<{ id: string }>()('id', inRange) as List<Params, { id: string }>;
  const matches = listOf<{ id: string }>()('id', inRange, { filters }) as List<Params, { id: string }>;
  const among = listOf<RowOf<Table<C>> & { id: string }>()(
    table.columns,
    `FROM ${table.name} WHERE tenant_id = :tenant_id AND id ${inList(':ids')}`,
  );
  return async (db, line, params, { orderBy, size, offset, after }, range = EVERY_ID) => {
    const direction = orderBy.startsWith('id DESC') ? 'DESC' : 'ASC';
    const order = { orderBy: `id ${direction}`, sorts: 0 };
    const find = (within: IdRange, enough: number) =>
      findInStretches(
        db,
        line,
        {
          direction,
          edge: async (part) =>
            (await edges.page(db, { ...params, ...part }, { ...order, size: 1, offset: STRETCH - 1 }))[0]?.id,
          ids: async (part) =>
            (await matches.page(db, { ...params, ...part }, { ...order, size: STRETCH, offset: 0 })).map(
              ({ id }) => id,
            ),
        },
        { ...within, enough },
      );
    const first = await find(range, Math.max(COUNT_CAP, offset + size));
    const behind = rangeBehind(range, { after, direction });
    const ids = (after === undefined ? first.slice(offset) : await find(behind, size)).slice(0, size);
    const rows = await rowsInOrder(db, ids, (some) =>
      among.page(db, { ids: some }, { ...order, size: some.length, offset: 0 }),
    );
    return { rows, total: Math.min(first.length, COUNT_CAP) };
  };
}

/** Counts the rows of a list, exactly. There may be very many; `where` has an index in the order of ids. */
export function countInStretches<C extends Columns>(table: Table<C>, where: string) {
  const behind = listOf<{ id: string }>()('id', `FROM ${table.name} ${where} AND id > :behind`);
  const rows = behind as List<Params, { id: string }>;
  const edge = { orderBy: 'id ASC', sorts: 0, size: 1, offset: STRETCH - 1 };
  return async (db: TenantReads, params: Params): Promise<number> => {
    for (let [total, last] = [0, '']; ; total += STRETCH) {
      const part = { ...params, behind: last };
      const [next] = await rows.page(db, part, edge);
      if (!next) return total + (await rows.count(db, part));
      last = next.id;
      await serveOthers(db);
    }
  };
}
