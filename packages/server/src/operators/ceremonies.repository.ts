import { randomBytes } from 'node:crypto';
import type { TenantTx } from '../db/db.ts';
import { FOR_UPDATE, SKIP_LOCKED } from '../db/sql/dialect.ts';
import { query } from '../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../db/sql/table.ts';
import { MINUTE } from '../kernel/clock.ts';

/** A challenge of one kind cannot be used for another. */
export type OperatorCeremonyKind =
  | 'SIGN_IN'
  | 'CONFIRM'
  | 'REGISTER'
  | 'SINGLE_SIGN_ON'
  /** The provider was told to authenticate the person again. */
  | 'SINGLE_SIGN_ON_AGAIN'
  | 'EMAIL_LINK'
  | 'CODE'
  /** The first code of an app that a signed-in operator sets up. */
  | 'NEW_TOTP';
export type OperatorCeremony = { id: string; challenge: string };

export const CEREMONY_MS = 5 * MINUTE;
const RANDOM_BYTES = 32;
/** Expired ceremonies that are removed with each new one. */
const REMOVED_AT_ONCE = 100;

const ceremonies = table('operator_ceremonies', {
  tenant_id: text(),
  id: text(),
  kind: text<OperatorCeremonyKind>(),
  operator_id: optional(text()),
  challenge: text(),
  expires_at: integer(),
});
const ADD = ceremonies.insert();
const TAKE = query<OperatorCeremony>()(`DELETE FROM operator_ceremonies WHERE tenant_id = :tenant_id AND id = :id
  AND kind = :kind AND expires_at > :now
  AND coalesce(operator_id, '') = :operatorId RETURNING id, challenge`);
const REMOVE_EXPIRED = ceremonies.delete(`WHERE tenant_id = :tenant_id AND id IN (
  SELECT id FROM operator_ceremonies WHERE tenant_id = :tenant_id AND expires_at <= :now ORDER BY expires_at
    LIMIT ${REMOVED_AT_ONCE} ${SKIP_LOCKED})`);

type NewCeremony = { kind: OperatorCeremonyKind; operatorId?: string | undefined; now: number };

/** Without an operator, the response says who it is. */
export async function openCeremony(tx: TenantTx, { kind, operatorId, now }: NewCeremony): Promise<OperatorCeremony> {
  const random = () => randomBytes(RANDOM_BYTES).toString('base64url');
  const ceremony = { id: random(), challenge: random() };
  await REMOVE_EXPIRED.run(tx, { now });
  await ADD.run(tx, {
    id: ceremony.id,
    kind,
    operator_id: operatorId ?? null,
    challenge: ceremony.challenge,
    expires_at: now + CEREMONY_MS,
  });
  return ceremony;
}

type CeremonyOfOperator = { id: string; operator_id: string; challenge: string };

const OF_OPERATOR =
  'WHERE tenant_id = :tenant_id AND id = :id AND kind = :kind AND expires_at > :now AND operator_id IS NOT NULL';

/** Stores a ceremony whose id the caller has made, such as the hash of a code. */
export async function storeCeremony(tx: TenantTx, ceremony: RowOf<typeof ceremonies>, now: number): Promise<void> {
  await REMOVE_EXPIRED.run(tx, { now });
  await ADD.run(tx, ceremony);
}

type CeremonyKey = { id: string; kind: OperatorCeremonyKind; now: number };

const FIND = query<CeremonyOfOperator>()(`SELECT id, operator_id, challenge FROM operator_ceremonies ${OF_OPERATOR}`);
const TAKE_OF_OPERATOR = query<CeremonyOfOperator>()(
  `DELETE FROM operator_ceremonies ${OF_OPERATOR} RETURNING id, operator_id, challenge`,
);
const LOCK_OPERATOR = query<CeremonyOfOperator>()(`SELECT id FROM operators WHERE tenant_id = :tenant_id
  AND id = (SELECT operator_id FROM operator_ceremonies ${OF_OPERATOR}) ${FOR_UPDATE}`);

/**
 * Finds a ceremony without removing it, because a code may be mistyped. It locks the operator: if one code arrives
 * twice at once, one request signs in, and the other does not count as a wrong code.
 */
export async function findCeremony(tx: TenantTx, key: CeremonyKey): Promise<CeremonyOfOperator | undefined> {
  await LOCK_OPERATOR.get(tx, key);
  return FIND.get(tx, key);
}

/**
 * Removes and returns a ceremony that names its operator. It locks the operator first, as whoever suspends or resets
 * the operator does: in the other order, the two could deadlock.
 */
export async function takeCeremonyOfOperator(tx: TenantTx, key: CeremonyKey): Promise<CeremonyOfOperator | undefined> {
  await LOCK_OPERATOR.get(tx, key);
  return TAKE_OF_OPERATOR.get(tx, key);
}

export const removeCeremoniesOf = ceremonies.delete('WHERE tenant_id = :tenant_id AND operator_id = :operatorId').run;

/** Removes the ceremony, so that it is good once, whatever the response. Locks its operator first, if it names one. */
export async function takeCeremony(
  tx: TenantTx,
  id: string,
  { kind, operatorId = '', now }: NewCeremony,
): Promise<OperatorCeremony | undefined> {
  if (operatorId !== '') await LOCK_OPERATOR.get(tx, { id, kind, now });
  return TAKE.get(tx, { id, kind, now, operatorId });
}
