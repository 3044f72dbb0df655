import { bytes, optional, type RowOf, TRACKED, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import { sortable } from '../../kernel/pages.ts';

export type SecretType = 'STRING' | 'NUMBER' | 'BINARY';

/** The columns that callers may see: all but the value. */
const view = {
  environment: text<Environment>(),
  /** The hosts to which it may be sent, a JSON array. Null: it is older than hosts and may be sent to any. */
  hosts: optional(text()),
  id: text(),
  name: text(),
  description: optional(text()),
  type: text<SecretType>(),
  ...TRACKED,
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

export const SORTABLE = sortable('id', 'name', 'type', 'createdDtm', 'lastUpdatedDtm');
