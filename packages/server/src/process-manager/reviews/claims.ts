import { DAY, MINUTE, MOST_APART_MS } from '../../kernel/clock.ts';

/** How long a claimed review is reserved for the reviewer. */
export const CLAIMED_MS = 30 * MINUTE;
/** How long a review is reserved for the operator to whom it was assigned. */
export const ASSIGNED_MS = DAY;
/** A claim that ends later was made while the clock was ahead, so it counts as over. */
const LATEST_END_MS = ASSIGNED_MS + MOST_APART_MS;

export function isClaimed({ claimed_until }: { claimed_until: number | null }, now: number): boolean {
  return claimed_until !== null && claimed_until > now && claimed_until <= now + LATEST_END_MS;
}
