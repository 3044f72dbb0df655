import type { api, Query } from '@grove/contract';
import type { TenantReads } from '../db/db.ts';
import type { Environment } from '../kernel/environment.ts';
import { invalidInput } from '../kernel/errors.ts';
import { EVERY_ID, type IdRange } from '../kernel/id-range.ts';
import { firstIdOf } from '../kernel/moment-of.ts';
import { likePattern } from '../kernel/pages.ts';
import { definitionIdsLike } from './instances/instance-ids.repository.ts';
import { type Filter, listInstances, type Page, type Window } from './instances/list-instances.ts';
import { asId, SEARCH_LIMITS, searchId, searchInstances } from './instances/search-instances.ts';
import { wordsOf } from './instances/search-terms.ts';

type SearchQuery = Omit<Query<typeof api.processInstances.search>, 'page' | 'size' | 'sort' | 'after'>;
type FilterQuery = Pick<SearchQuery, 'processDefinitionName' | 'processDefinitionId' | 'processInstanceStatus'>;

export type SearchScope = {
  environment: Environment;
  /** Whether only whole words match. */
  wholeWords: boolean;
  /** The pointer to the filters in the request, for faults. */
  pointer: '/query' | '';
};

/** The ids of the instances that match the filters of a search. */
export async function findInstanceIds(
  db: TenantReads,
  { environment, wholeWords, pointer }: SearchScope,
  query: SearchQuery,
  window: Window,
): Promise<Page> {
  const filter = { ...(await filterOf(db, environment, query, pointer)), range: rangeOf(query, pointer) };
  if (query.searchString === undefined) return listInstances(db, filter, window);
  const typed = query.searchString.trim();
  const id = asId(typed);
  if (id !== undefined) return searchId(db, filter, id, window);
  const searchWords = wordsOf(typed);
  if ('fault' in searchWords) throw invalidInput({ pointer: `${pointer}/searchString`, message: searchWords.fault });
  return searchInstances(db, filter, searchWords.words, window, { ...SEARCH_LIMITS, wholeWords });
}

export async function filterOf(
  db: TenantReads,
  environment: Environment,
  query: FilterQuery,
  pointer: SearchScope['pointer'] = '/query',
): Promise<Omit<Filter, 'range'>> {
  const pattern = likePattern(query.processDefinitionName, `${pointer}/processDefinitionName`);
  const ids = pattern === undefined ? undefined : await definitionIdsLike(db, pattern);
  const only = query.processDefinitionId || undefined;
  return {
    environment,
    definitionIds: only === undefined ? ids : ids === undefined || ids.includes(only) ? [only] : [],
    status: query.processInstanceStatus,
  };
}

type RangeQuery = Pick<SearchQuery, 'startDateTime' | 'endDateTime'>;

/** An id begins with the moment of its creation, so a range of time is a range of ids. */
function rangeOf({ startDateTime, endDateTime }: RangeQuery, pointer: SearchScope['pointer']): IdRange {
  return {
    from: firstIdOf(startDateTime || undefined, `${pointer}/startDateTime`) ?? EVERY_ID.from,
    below: firstIdOf(endDateTime || undefined, `${pointer}/endDateTime`) ?? EVERY_ID.below,
  };
}
