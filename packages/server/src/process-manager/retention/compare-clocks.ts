import type { TenantReads } from '../../db/db.ts';
import { type Clock, MINUTE, MOST_APART_MS } from '../../kernel/clock.ts';
import { newestMoment } from './due.repository.ts';

/**
 * Whoever deletes by the clock must be able to trust it. Why it cannot be trusted, for the operator and the caller;
 * undefined if it can.
 */
export type ClockFault = (db: TenantReads) => Promise<string | undefined>;

export type ClocksDeps = {
  clock: Clock;
  /** A clock that does not follow when somebody moves ours. */
  other(): Promise<number>;
};

export function clockComparison({ clock, other }: ClocksDeps): ClockFault {
  return async (db) => {
    const now = clock.now();
    const apart = Math.abs((await other()) - now);
    if (apart > MOST_APART_MS) return `the clock of the server is ${Math.round(apart / MINUTE)} minutes off`;
    // A clock that was wrong before, and was put back: what was made then looks older or younger than it is.
    const ahead = (await newestMoment(db)) - now;
    if (ahead > MOST_APART_MS) return `the newest entry is ${Math.round(ahead / MINUTE)} minutes in the future`;
    return undefined;
  };
}
