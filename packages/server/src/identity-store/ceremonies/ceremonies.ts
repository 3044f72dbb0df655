import type { TenantTx } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import {
  addCeremony,
  type CeremonyKind,
  type CeremonyRow,
  keepNewestCeremonies,
  removeCeremony,
} from './ceremonies.repository.ts';

/**
 * Sessions of registration and authentication. A start opens a session; the attempt to complete spends it, whatever the
 * result.
 */

/** One more session removes the oldest. A user who starts again and again can still complete the newest session. */
export const MAX_OPEN_PER_USER = 20;

export type NewCeremony = {
  kind: CeremonyKind;
  storeId: string;
  /** Absent if the user is not known yet. */
  userId?: string | undefined;
  rpId?: string | undefined;
  policyName?: string | undefined;
  username?: string | undefined;
  /** Everything that the completion needs, such as the challenge and the current policy. */
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
  if (userId !== undefined) keepNewestCeremonies(tx, { userId, keep: MAX_OPEN_PER_USER - 1 });
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
 * Removes and returns the session. Returns undefined if this store has no open session of this kind and id; a session
 * of another kind stays. The caller then throws 100035.
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
