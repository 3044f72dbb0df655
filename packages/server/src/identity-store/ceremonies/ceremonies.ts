import type { TenantTx } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import {
  addCeremony,
  type CeremonyKind,
  type CeremonyRow,
  keepNewestCeremonies,
  removeCeremony,
} from './ceremonies.repository.ts';

/** Sessions of registration and authentication: opened by a start, spent by the attempt to complete, whatever it brings. */

/** With one more the oldest is given up: whoever starts over and over must not be locked out of finishing. */
export const MAX_OPEN_PER_USER = 20;

export type NewCeremony = {
  kind: CeremonyKind;
  storeId: string;
  /** Absent if the user is not known yet. */
  userId?: string | undefined;
  rpId?: string | undefined;
  policyName?: string | undefined;
  username?: string | undefined;
  /** The challenge, the policy as it is now: whatever completing needs. */
  data: object;
  now: number;
  lifeMs: number;
};

export type Ceremony<Data = unknown> = Omit<CeremonyRow, 'data' | 'username'> & { data: Data };

export async function openCeremony(
  tx: TenantTx,
  { kind, storeId, userId, rpId, policyName, username, data, now, lifeMs }: NewCeremony,
): Promise<{ sessionId: string; expiresAt: number }> {
  const id = newId(now);
  const expiresAt = now + lifeMs;
  if (userId !== undefined) await keepNewestCeremonies(tx, userId, MAX_OPEN_PER_USER - 1);
  await addCeremony(tx, {
    id,
    kind,
    store_id: storeId,
    user_id: userId ?? null,
    rp_id: rpId ?? null,
    policy_name: policyName ?? null,
    username: username ?? null,
    data: JSON.stringify(data),
    created_at: now,
    expires_at: expiresAt,
  });
  return { sessionId: id, expiresAt };
}

/**
 * The session, which is gone from then on. Nothing if there is none of this kind in this store that has time left; one
 * of another kind is untouched. The caller answers 100035.
 */
export async function takeCeremony<Data = unknown>(
  tx: TenantTx,
  kind: CeremonyKind,
  storeId: string,
  sessionId: string,
  now: number,
): Promise<Ceremony<Data> | undefined> {
  const row = await removeCeremony(tx, { kind, storeId, id: sessionId, now });
  return row && { ...row, data: JSON.parse(row.data) as Data };
}
