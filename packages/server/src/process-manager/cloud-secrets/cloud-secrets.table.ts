import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';

export type SecretType = 'STRING' | 'NUMBER' | 'BINARY';

/** What callers may see of a secret: everything but its value. */
const view = {
  environment: text<Environment>(),
  /** The hosts it may be sent to, a JSON array. Null: it is older than hosts, and may be sent to any. */
  hosts: optional(text()),
  id: text(),
  name: text(),
  description: optional(text()),
  type: text<SecretType>(),
  created_at: integer(),
  created_by: text(),
  last_updated_at: integer(),
  last_updated_by: text(),
};

export const cloudSecrets = table('cloud_secrets', {
  tenant_id: text(),
  ...view,
  name_folded: text(),
  sealed: bytes(),
});
export const VIEW = Object.keys(view) as (keyof typeof view)[];
export type CloudSecretRow = RowOf<typeof cloudSecrets>;
export type CloudSecretView = Pick<CloudSecretRow, keyof typeof view>;

export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  type: 'type',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;
