import { integer, optional, type RowOf, table, text } from '../db/sql/table.ts';

/**
 * The queue's table. It belongs to the installation, because a worker claims for all tenants at once; a tenant's
 * connection can add its own jobs and read none. Only this folder uses it.
 */
export const jobs = table('jobs', {
  id: text(),
  owner_tenant_id: optional(text()),
  kind: text(),
  payload: text(),
  unique_key: optional(text()),
  state: text<JobState>(),
  run_at: integer(),
  attempts: integer(),
  max_attempts: integer(),
  lease_until: integer(),
  lease_token: optional(text()),
  last_error: optional(text()),
  created_at: integer(),
});
export type JobState = 'READY' | 'DEAD';
type Row = RowOf<typeof jobs>;

/** The columns that a claim reads. */
export const CLAIM_COLUMNS = [
  'id',
  'owner_tenant_id',
  'kind',
  'payload',
  'unique_key',
  'run_at',
  'attempts',
  'max_attempts',
] as const;
export type JobRow = Pick<Row, (typeof CLAIM_COLUMNS)[number]>;
export type NewJobRow = Omit<JobRow, 'attempts'> & Pick<Row, 'created_at'>;
