import type { TenantReads } from '../../db/db.ts';
import type { EventFilter } from './event-queries.repository.ts';
import { searchEvents, stepBack } from './event-queries.repository.ts';
import type { EventRow } from './identity-events.table.ts';

/**
 * Pages over events, newest first. Exact filters use an index. LIKE must read the events themselves, so it reads one
 * stretch of them per page. Such a page may be smaller than requested without being the last.
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
  const looksAtAll = Object.keys(filter.like).length > 0;
  const edge = looksAtAll ? await stepBack(db, { environment, below, events: stretch }) : undefined;
  const ids = await searchEvents(db, filter, { environment, below, from: edge ?? '', limit: size + 1 });
  return ids.length > size ? { ids: ids.slice(0, size), nextId: ids[size - 1] } : { ids, nextId: edge };
}
