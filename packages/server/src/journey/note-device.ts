import { timingSafeEqual } from 'node:crypto';
import type { TenantTx } from '../db/db.ts';
import { cookieOf } from '../kernel/cookie-of.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { COOKIE, hashSecret, journeysIn, MAX_OTHER_COOKIES } from './session-cookies.ts';
import { findSession, type SessionRow } from './sessions.repository.ts';

/**
 * Links two instances if the browser also has the session of the other one: both were opened on one device. Nothing is stored
 * in the browser for it. With https, only names that begin with `__Host-` count: an attacker on the network can set any other
 * cookie by an answer without TLS, which would link an honest person to the attacker's case.
 *
 * A transaction of its own: it locks both instances, and the one that opens the journey has locked one of them (deadlocks).
 */
export async function noteDevice(
  deps: JourneyDeps,
  tenantId: TenantId,
  session: SessionRow,
  cookies: string,
): Promise<void> {
  const all = journeysIn(deps, cookies).slice(0, MAX_OTHER_COOKIES);
  const others = all.filter((instanceId) => instanceId !== session.instance_id);
  if (others.length === 0) return;
  try {
    await deps.db.of(tenantId).write((tx) => linkFirst(deps, tx, session, { others, cookies }));
  } catch (error) {
    // The journey is open all the same.
    deps.onError('could not link two journeys of one browser', error);
  }
}

type OtherJourneys = { others: readonly string[]; cookies: string };

/** Links the first of these instances of which the browser has a session. */
async function linkFirst(
  deps: JourneyDeps,
  tx: TenantTx,
  session: SessionRow,
  { others, cookies }: OtherJourneys,
): Promise<void> {
  for (const instanceId of others) {
    const value = cookieOf(cookies, deps.cookieName(instanceId)) ?? '';
    const [, tenantId, sessionId = '', secret = ''] = COOKIE.exec(value) ?? [];
    if (tenantId !== tx.tenantId) continue;
    const other = await findSession(tx, { id: sessionId });
    if (other?.instance_id !== instanceId || !timingSafeEqual(other.token_hash, hashSecret(secret))) continue;
    await deps.processes.linkDevice(tx, session.instance_id, other.instance_id, session.created_at);
    return;
  }
}
