import type { Environment } from '../../kernel/environment.ts';
import type { InstanceStatus } from '../engine/state.ts';

export type ReviewStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'ASKED_AGAIN';

/** What lists and the plain view show. */
export type InstanceView = {
  id: string;
  environment: Environment;
  definition_id: string;
  process_defn_name: string;
  process_defn_version: number;
  status: InstanceStatus;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  phone_number: string | null;
  /** How the systems of the tenant name the person or the case. Stored in `sealed` alone. */
  external_reference?: string | null;
  retention_days: number;
  expiring_at: number;
  created_at: number;
  completed_at: number | null;
  review_status: ReviewStatus | null;
  review_comment: string | null;
  reviewer: string | null;
  /** A JSON object. */
  extended_terms: string | null;
  /** Everything about the person, as `instance-seal.ts` has it. The columns themselves are empty in the database. */
  sealed: Uint8Array | null;
};

export type InstanceRow = InstanceView & {
  last_updated_at: number;
  claimed_until: number | null;
  token_id: string | null;
  token_counter: number | null;
  parent_id: string | null;
  parent_step: string | null;
  name: string | null;
  description: string | null;
  /** A JSON object of strings. */
  parameters: string;
  ui_url: string | null;
  deadline_at: number | null;
  sequence: number;
  /** A JSON array of strings. */
  terms: string;
  code_hash: Uint8Array | null;
  code_expires_at: number | null;
};
