import { randomBytes } from 'node:crypto';
import { sql, type TenantTx } from '../db/db.ts';
import { SKIP_LOCKED } from '../db/sql/dialect.ts';
import { MINUTE } from '../kernel/clock.ts';

/** A challenge of one kind answers no other. */
export type OperatorCeremonyKind = 'SIGN_IN' | 'CONFIRM' | 'REGISTER';
export type OperatorCeremony = { id: string; challenge: string };

export const CEREMONY_MS = 5 * MINUTE;
const RANDOM_BYTES = 32;
/** How many that nobody answered are removed with each new one. */
const REMOVED_AT_ONCE = 100;

const ADD = sql(`INSERT INTO operator_ceremonies (tenant_id, id, kind, operator_id, challenge, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`);
const TAKE = sql(`DELETE FROM operator_ceremonies WHERE tenant_id = $1 AND id = $2 AND kind = $3 AND expires_at > $4
  AND coalesce(operator_id, '') = $5 RETURNING id, challenge`);
const REMOVE_EXPIRED = sql(`DELETE FROM operator_ceremonies WHERE tenant_id = $1 AND id IN (
  SELECT id FROM operator_ceremonies WHERE tenant_id = $1 AND expires_at <= $2 ORDER BY expires_at
    LIMIT ${REMOVED_AT_ONCE} ${SKIP_LOCKED})`);

type Asked = { kind: OperatorCeremonyKind; operatorId?: string | undefined; now: number };

/** A new challenge. Without an operator, whoever answers says who it is. */
export async function openCeremony(tx: TenantTx, { kind, operatorId, now }: Asked): Promise<OperatorCeremony> {
  const random = () => randomBytes(RANDOM_BYTES).toString('base64url');
  const made = { id: random(), challenge: random() };
  await tx.run(REMOVE_EXPIRED, [tx.tenantId, now]);
  await tx.run(ADD, [tx.tenantId, made.id, kind, operatorId ?? null, made.challenge, now + CEREMONY_MS]);
  return made;
}

/** Removes it, so that it is good once, whatever becomes of the answer. */
export function takeCeremony(
  tx: TenantTx,
  id: string,
  { kind, operatorId = '', now }: Asked,
): Promise<OperatorCeremony | undefined> {
  return tx.get<OperatorCeremony>(TAKE, [tx.tenantId, id, kind, now, operatorId]);
}
