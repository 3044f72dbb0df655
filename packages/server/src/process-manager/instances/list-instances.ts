import type { TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { EVERY_ID, type IdRange, rangeBehind } from '../../kernel/id-range.ts';
import type { InstanceStatus } from '../engine/state.ts';
import { countIds, type Direction, type IdList, idsInAnyOrder, idsOf, matcherOf } from './instance-ids.repository.ts';
import { type Total, totalsOf } from './instance-totals.ts';

/** The filter of a list of instances, without a search. */
export type Filter = {
  environment: Environment;
  /** Undefined means all definitions. */
  definitionIds: readonly string[] | undefined;
  status: InstanceStatus | undefined;
  range: IdRange;
};

export type Page = { ids: string[]; total: number };

/** A range of time has no counter, so no more than this are counted. */
export const COUNT_CAP = 10_000;
/** The depth to which a page of several lists is merged from the top. */
const MERGE_DEPTH = 10_000;
/** For more definitions than this, the totals are read together. */
const FEW_DEFINITIONS = 10;

/** With `after`, only instances after this id. */
export type Window = { size: number; offset: number; direction: Direction; after?: string };

/** A page in the order of creation. */
export async function listInstances(db: TenantReads, filter: Filter, window: Window): Promise<Page> {
  const totals = await totalsFor(db, filter);
  const sum = totals.reduce((all, { total }) => all + total, 0);
  if (sum === 0) return { ids: [], total: 0 };
  const lists = listsOf(filter, totals);
  const total = isEvery(filter.range) ? sum : await countedTotal(db, filter, lists);
  if (window.offset >= total) return { ids: [], total };
  return { ids: await idsOfLists(db, { ...filter, range: rangeBehind(filter.range, window) }, lists, window), total };
}

/** A page in another order. `orderBy` contains only sortable columns. */
export async function listInOrder(
  db: TenantReads,
  { environment, definitionIds, status }: Omit<Filter, 'range'>,
  page: { orderBy: string; size: number; offset: number },
): Promise<Page> {
  const filter = { environment, definitionIds, status, range: EVERY_ID };
  const total = (await totalsFor(db, filter)).reduce((all, each) => all + each.total, 0);
  if (page.offset >= total) return { ids: [], total };
  return { ids: await idsInAnyOrder(db, { environment, definitionIds, status, ...page }), total };
}

/** The totals that match the filter. */
async function totalsFor(db: TenantReads, filter: Filter): Promise<Total[]> {
  const { environment, definitionIds } = filter;
  const totals =
    definitionIds && definitionIds.length <= FEW_DEFINITIONS
      ? (await Promise.all(definitionIds.map((id) => totalsOf(db, environment, id)))).flat()
      : await totalsOf(db, environment);
  const isWanted = matcherOf(filter);
  return totals.filter((each) => isWanted(each.definitionId, each.status));
}

/** The lists that are not empty. */
function listsOf({ definitionIds, status }: Filter, totals: readonly Total[]): IdList[] {
  if (definitionIds) return totals.map((each) => ({ definitionId: each.definitionId, status: each.status }));
  return [status === undefined ? {} : { status }];
}

async function countedTotal(db: TenantReads, filter: Filter, lists: readonly IdList[]): Promise<number> {
  let total = 0;
  for (const list of lists) {
    if (total >= COUNT_CAP) break;
    total += await countIds(db, filter.environment, list, filter.range, COUNT_CAP - total);
  }
  return total;
}

async function idsOfLists(db: TenantReads, filter: Filter, lists: readonly IdList[], window: Window) {
  const { environment, range } = filter;
  const { size, offset, direction } = window;
  const [only] = lists;
  if (only && lists.length === 1) return idsOf(db, environment, only, range, window);
  const depth = offset + size;
  if (depth > MERGE_DEPTH && isEvery(range)) {
    return idsInAnyOrder(db, { ...filter, orderBy: `id ${direction}`, size, offset });
  }
  const all: string[] = [];
  for (const list of lists)
    all.push(...(await idsOf(db, environment, list, range, { size: depth, offset: 0, direction })));
  all.sort();
  if (direction === 'DESC') all.reverse();
  return all.slice(offset, depth);
}

function isEvery({ from, below }: IdRange): boolean {
  return from === EVERY_ID.from && below === EVERY_ID.below;
}
