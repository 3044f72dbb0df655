import { MINUTE } from '../kernel/clock.ts';
import type { HandoffState } from '../kernel/context.ts';
import type { SessionRow, SessionWithOffers } from './sessions.repository.ts';

/** The life of an offer to continue on another device. */
export const OFFER_MS = 5 * MINUTE;

export function isFresh({ created_at }: SessionRow, now: number): boolean {
  return now < created_at + OFFER_MS;
}

/** The state of a hand-off from the view of one session. */
export function handoffState(own: SessionWithOffers, all: readonly SessionRow[], now: number): HandoffState {
  if (own.state === 'UNCONFIRMED') return 'CONFIRMING';
  const offered = all.filter(({ offered_by }) => offered_by === own.id);
  if (offered.some(({ state }) => state === 'ACTIVE')) return 'CONNECTED';
  if (offered.some((each) => each.state === 'UNCONFIRMED' && isFresh(each, now))) return 'CONFIRMING';
  if (own.offers > 0) return 'OFFERED';
  return own.state === 'ACTIVE' && own.offered_by !== null ? 'CONNECTED' : 'NONE';
}
