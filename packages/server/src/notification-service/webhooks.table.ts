import { bytes, integer, optional, type RowOf, TRACKED, table, text, WITH_NAME } from '../db/sql/table.ts';
import { sortable } from '../kernel/pages.ts';

export const webhooks = table('webhooks', {
  ...WITH_NAME,
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
  ...TRACKED,
});
export type WebhookRow = RowOf<typeof webhooks>;

export const SORTABLE = sortable('id', 'name', 'status', 'createdDtm', 'lastUpdatedDtm');
