import type { api, Ok } from '@grove/contract';
import type { TenantReads } from '../db/db.ts';
import { MINUTE } from '../kernel/clock.ts';
import { findOffer } from './codes.repository.ts';
import { type SessionRow, sessionsOf } from './sessions.repository.ts';

/** How long an offer to go on with another device is good, and how far one has come. */
export const OFFER_MS = 5 * MINUTE;

export function isFresh({ created_at }: SessionRow, now: number): boolean {
  return now < created_at + OFFER_MS;
}

export type HandoffState = Ok<typeof api.journey.get>['device']['handoff'];

/** How far a hand-off has come, as this session sees it. */
export async function handoffState(db: TenantReads, own: SessionRow, now: number): Promise<HandoffState> {
  if (own.state === 'UNCONFIRMED') return 'CONFIRMING';
  const offered = (await sessionsOf(db, own.instance_id)).filter(({ offered_by }) => offered_by === own.id);
  if (offered.some(({ state }) => state === 'ACTIVE')) return 'CONNECTED';
  if (offered.some((each) => each.state === 'UNCONFIRMED' && isFresh(each, now))) return 'CONFIRMING';
  const open = await findOffer(db, { instanceId: own.instance_id, sessionId: own.id }, now);
  if (open) return 'OFFERED';
  return own.state === 'ACTIVE' && own.offered_by !== null ? 'CONNECTED' : 'NONE';
}
