import { statement } from '../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../db/sql/table.ts';
import type { Alg } from '../identity-store/passkeys/algorithms.ts';

const passkeys = table('operator_passkeys', {
  tenant_id: text(),
  id: text(),
  operator_id: text(),
  rp_id: text(),
  credential_id: text(),
  alg: integer<Alg>(),
  /** SPKI in DER. */
  public_key: bytes(),
  sign_count: integer(),
  backup_eligible: integer<0 | 1>(),
  /** A JSON array. */
  transports: text(),
  name: text(),
  created_at: integer(),
  last_used_at: optional(integer()),
});
const { columns } = passkeys;
export type OperatorPasskeyRow = RowOf<typeof passkeys>;

export const addPasskey = passkeys.insert().run;

export const findByCredential = passkeys.select(
  columns,
  'WHERE tenant_id = :tenant_id AND rp_id = :rpId AND credential_id = :credentialId',
).get;

export const passkeysOf = passkeys.select(
  columns,
  `WHERE tenant_id = :tenant_id AND operator_id = :operatorId
  ORDER BY id LIMIT 100`,
).all;

/** Updates only if the stored counter is still the one that was compared. */
export const advancePasskey = statement(`UPDATE operator_passkeys SET sign_count = :signCount, last_used_at = :now
  WHERE tenant_id = :tenant_id AND id = :id AND (sign_count < :signCount OR (sign_count = 0 AND :signCount = 0))`).changes;

export const removePasskey = passkeys.delete(
  'WHERE tenant_id = :tenant_id AND operator_id = :operatorId AND id = :id',
).changes;

export const removePasskeysOf = passkeys.delete('WHERE tenant_id = :tenant_id AND operator_id = :operatorId').run;
