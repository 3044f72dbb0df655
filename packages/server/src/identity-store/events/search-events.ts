import type { TenantReads } from '../../db/db.ts';
import type { EventFilter } from './event-queries.repository.ts';
import { searchEvents, stepBack } from './event-queries.repository.ts';
import type { EventRow } from './identity-events.table.ts';

/**
 * Pages over events, newest first. One exact filter uses an index. More of them, LIKE and columns without an index must read
 * the events themselves, so they read one stretch of them per page. Such a page may be smaller than requested without being
 * the last.
 */
export const STRETCH = 20_000;

export type Page = {
  readonly ids: readonly string[];
  /** The next page begins below this id. Undefined at the end. */
  readonly nextId: string | undefined;
};

export async function pageOfEvents(
  db: TenantReads,
  filter: EventFilter,
  {
    environment,
    below,
    size,
    stretch = STRETCH,
  }: { environment: EventRow['environment']; below: string; size: number; stretch?: number },
): Promise<Page> {
  const { exact, like, unindexed } = filter;
  // One exact filter is answered by its index.
  const looksAtAll = Object.keys({ ...like, ...unindexed }).length > 0 || Object.keys(exact).length > 1;
  const { from: first = '', below: end = below } = filter;
  const before = end < below ? end : below;
  const edge = looksAtAll ? await stepBack(db, filter, { environment, below: before, events: stretch }) : undefined;
  const from = edge !== undefined && edge > first ? edge : first;
  const ids = await searchEvents(db, filter, { environment, below: before, from, limit: size + 1 });
  if (ids.length > size) return { ids: ids.slice(0, size), nextId: ids[size - 1] };
  return { ids, nextId: from === edge ? edge : undefined };
}
