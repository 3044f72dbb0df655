import { bytes, integer, optional, type RowOf, table, text } from '../db/sql/table.ts';
import type { Environment } from '../kernel/environment.ts';

export const webhooks = table('webhooks', {
  tenant_id: text(),
  id: text(),
  environment: text<Environment>(),
  name: text(),
  name_folded: text(),
  description: optional(text()),
  version: integer(),
  status: text<'ACTIVE' | 'DISABLED'>(),
  disabled_reason: optional(text()),
  method: text<'POST' | 'GET'>(),
  uri: text(),
  headers: text(),
  sensitive_names: text(),
  sensitive_sealed: optional(bytes()),
  body_template: optional(text()),
  events: text(),
  retry_intervals: text(),
  secret_sealed: bytes(),
  old_secret: optional(bytes()),
  old_secret_until: optional(integer()),
  created_at: integer(),
  created_by: text(),
  last_updated_at: integer(),
  last_updated_by: text(),
});
export type WebhookRow = RowOf<typeof webhooks>;

export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  status: 'status',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;
