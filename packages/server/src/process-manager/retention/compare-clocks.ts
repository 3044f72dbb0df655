import type { TenantReads } from '../../db/db.ts';
import { type Clock, MINUTE, MOST_APART_MS } from '../../kernel/clock.ts';
import { newestMoment } from './due.repository.ts';

/**
 * Ensures that nothing is deleted by a wrong clock. Resolves to the fault of the clock, for the operator and the caller;
 * undefined if the clock can be trusted.
 */
export type ClockFault = (db: TenantReads) => Promise<string | undefined>;

export type ClocksDeps = {
  clock: Clock;
  /** A clock that does not change when somebody sets the clock of this server. */
  other(): Promise<number>;
};

export function clockComparison({ clock, other }: ClocksDeps): ClockFault {
  return async (db) => {
    const now = clock.now();
    const apart = Math.abs((await other()) - now);
    if (apart > MOST_APART_MS) return `the clock of the server is ${Math.round(apart / MINUTE)} minutes off`;
    // The clock was wrong before and was corrected, so rows of that time look older or younger than they are.
    const ahead = (await newestMoment(db)) - now;
    if (ahead > MOST_APART_MS) return `the newest entry is ${Math.round(ahead / MINUTE)} minutes in the future`;
    return undefined;
  };
}
