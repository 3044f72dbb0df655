import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { InstanceStatus } from '../engine/state.ts';

export type ReviewStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'ASKED_AGAIN';

const VIEW = {
  id: text(),
  environment: text<Environment>(),
  definition_id: text(),
  process_defn_name: text(),
  process_defn_version: integer(),
  status: text<InstanceStatus>(),
  first_name: optional(text()),
  last_name: optional(text()),
  email: optional(text()),
  phone_number: optional(text()),
  retention_days: integer(),
  expiring_at: integer(),
  created_at: integer(),
  completed_at: optional(integer()),
  review_status: optional(text<ReviewStatus>()),
  review_comment: optional(text()),
  reviewer: optional(text()),
  /** A JSON object. */
  extended_terms: optional(text()),
  /** When the personal data was removed. */
  redacted_at: optional(integer()),
  /** The personal data, as `instance-seal.ts` writes it. The columns of its members are empty in the database. */
  sealed: optional(bytes()),
};

export const instances = table('process_instances', {
  tenant_id: text(),
  ...VIEW,
  last_updated_at: integer(),
  claimed_until: optional(integer()),
  /** 0 normal, 1 high, 2 urgent. */
  review_priority: integer(),
  token_id: optional(text()),
  token_counter: optional(integer()),
  parent_id: optional(text()),
  parent_step: optional(text()),
  name: optional(text()),
  description: optional(text()),
  /** A JSON object of strings. */
  parameters: text(),
  ui_url: optional(text()),
  deadline_at: optional(integer()),
  sequence: integer(),
  /** A JSON array of strings. */
  terms: text(),
  code_hash: optional(bytes()),
  code_expires_at: optional(integer()),
});

/** The tenant's own name for the person or the case. It is stored only in `sealed`. */
type Reference = { external_reference?: string | null };
export type InstanceRow = RowOf<typeof instances> & Reference;
/** The columns for lists and the plain view. */
export type InstanceView = Pick<InstanceRow, keyof typeof VIEW> & Reference;
export const VIEW_COLUMNS = Object.keys(VIEW) as (keyof typeof VIEW)[];
