import { randomBytes } from 'node:crypto';
import type { TenantTx } from '../db/db.ts';
import { SKIP_LOCKED } from '../db/sql/dialect.ts';
import { query, statement } from '../db/sql/statement.ts';
import { MINUTE } from '../kernel/clock.ts';

/** A challenge of one kind answers no other. */
export type OperatorCeremonyKind = 'SIGN_IN' | 'CONFIRM' | 'REGISTER' | 'SINGLE_SIGN_ON';
export type OperatorCeremony = { id: string; challenge: string };

export const CEREMONY_MS = 5 * MINUTE;
const RANDOM_BYTES = 32;
/** How many that nobody answered are removed with each new one. */
const REMOVED_AT_ONCE = 100;

const ADD = statement(`INSERT INTO operator_ceremonies (tenant_id, id, kind, operator_id, challenge, expires_at)
  VALUES (:tenant_id, :id, :kind, :operatorId, :challenge, :expires_at)`);
const TAKE = query<OperatorCeremony>()(`DELETE FROM operator_ceremonies WHERE tenant_id = :tenant_id AND id = :id
  AND kind = :kind AND expires_at > :now
  AND coalesce(operator_id, '') = :operatorId RETURNING id, challenge`);
const REMOVE_EXPIRED = statement(`DELETE FROM operator_ceremonies WHERE tenant_id = :tenant_id AND id IN (
  SELECT id FROM operator_ceremonies WHERE tenant_id = :tenant_id AND expires_at <= :now ORDER BY expires_at
    LIMIT ${REMOVED_AT_ONCE} ${SKIP_LOCKED})`);

type Asked = { kind: OperatorCeremonyKind; operatorId?: string | undefined; now: number };

/** A new challenge. Without an operator, whoever answers says who it is. */
export async function openCeremony(tx: TenantTx, { kind, operatorId, now }: Asked): Promise<OperatorCeremony> {
  const random = () => randomBytes(RANDOM_BYTES).toString('base64url');
  const made = { id: random(), challenge: random() };
  await REMOVE_EXPIRED.run(tx, { now });
  await ADD.run(tx, {
    id: made.id,
    kind,
    operatorId: operatorId ?? null,
    challenge: made.challenge,
    expires_at: now + CEREMONY_MS,
  });
  return made;
}

/** Removes it, so that it is good once, whatever becomes of the answer. */
export function takeCeremony(
  tx: TenantTx,
  id: string,
  { kind, operatorId = '', now }: Asked,
): Promise<OperatorCeremony | undefined> {
  return TAKE.get(tx, { id, kind, now, operatorId });
}
