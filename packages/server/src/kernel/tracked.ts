import { actor } from './actor.ts';
import { toDtm } from './clock.ts';
import type { Context } from './context.ts';

/** When and by whom a row was made and last changed: the columns `TRACKED` of a table. */
type Tracked = LastUpdate & { created_at: number; created_by: string };
type LastUpdate = { last_updated_at: number; last_updated_by: string };

/** The columns of a new row. */
export function creation(by: string, now: number): Tracked {
  return { created_at: now, created_by: by, ...lastUpdate(by, now) };
}

export function lastUpdate(by: string, now: number): LastUpdate {
  return { last_updated_at: now, last_updated_by: by };
}

/** The columns of a row that the caller changes. */
export function updateOf({ principal, now }: Pick<Context, 'principal' | 'now'>): LastUpdate {
  return lastUpdate(actor(principal), now);
}

export function trackedView(row: Tracked) {
  return {
    createdDtm: toDtm(row.created_at),
    createdBy: row.created_by,
    lastUpdatedDtm: toDtm(row.last_updated_at),
    lastUpdatedBy: row.last_updated_by,
  };
}
