import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';

const ofNoProcess = {
  tenant_id: text(),
  environment: text<Environment>(),
  id: text(),
  at: integer(),
  type: text(),
  store_name: text(),
  user_id: optional(text()),
  modality: optional(text()),
  code: optional(integer()),
  rp_id: optional(text()),
};

export const identityEventsTable = table('identity_events', {
  ...ofNoProcess,
  parent_process_defn_id: optional(text()),
  parent_process_defn_name: optional(text()),
  parent_process_defn_version: optional(integer()),
  parent_process_instance_id: optional(text()),
  child_process_defn_name: optional(text()),
  child_process_defn_version: optional(integer()),
  child_process_defn_tag: optional(text()),
  parent_process_defn_folded: optional(text()),
  child_process_defn_folded: optional(text()),
  child_process_tag_folded: optional(text()),
});
export type EventRow = RowOf<typeof identityEventsTable>;

/** Most events happen outside a process: their insert omits the columns of a process. */
export const eventsOfNoProcess = table('identity_events', ofNoProcess);
export type EventOfNoProcess = RowOf<typeof eventsOfNoProcess>;
