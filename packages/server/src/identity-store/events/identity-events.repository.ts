import { type Change, type OfTenant, sql, type TenantTx } from '../../db/db.ts';

/** The columns of an event. Only this folder knows them. */
export type EventRow = {
  environment: 'live' | 'test';
  id: string;
  at: number;
  type: string;
  store_name: string;
  user_id: string | null;
  modality: string | null;
  code: number | null;
  rp_id: string | null;
  parent_process_defn_id: string | null;
  parent_process_defn_name: string | null;
  parent_process_defn_version: number | null;
  parent_process_instance_id: string | null;
  child_process_defn_name: string | null;
  child_process_defn_version: number | null;
  child_process_defn_tag: string | null;
  parent_process_defn_folded: string | null;
  child_process_defn_folded: string | null;
  child_process_tag_folded: string | null;
};

const NAMES = [
  ...['environment', 'id', 'at', 'type', 'store_name', 'user_id', 'modality', 'code', 'rp_id'],
  ...['parent_process_defn_id', 'parent_process_defn_name', 'parent_process_defn_version'],
  ...['parent_process_instance_id', 'child_process_defn_name', 'child_process_defn_version'],
  ...['child_process_defn_tag', 'parent_process_defn_folded', 'child_process_defn_folded'],
  'child_process_tag_folded',
] as (keyof EventRow)[];

export const EVENT_COLUMNS = NAMES.join(', ');

/** Most events happen in no process: then the columns of one need not be named. */
const OF_NO_PROCESS = NAMES.filter((name) => !name.startsWith('parent_') && !name.startsWith('child_'));
const insertOf = (names: readonly string[]) =>
  sql(`INSERT INTO identity_events (tenant_id, ${names.join(', ')})
    VALUES ($1, ${names.map((_, at) => `$${at + 2}`).join(', ')})`);
const ADD = insertOf(NAMES);
const ADD_OF_NO_PROCESS = insertOf(OF_NO_PROCESS);
const REMOVE_OLD = sql(`DELETE FROM identity_events WHERE tenant_id = $1 AND environment = $2 AND id IN (
    SELECT id FROM identity_events WHERE tenant_id = $1 AND environment = $2 AND id < $3 ORDER BY id LIMIT $4)`);

export type EventOfNoProcess = Omit<EventRow, `parent_${string}` | `child_${string}`>;

export function addedEvent({ tenantId }: OfTenant, row: EventRow): Change {
  return { statement: ADD, values: [tenantId, ...NAMES.map((name) => row[name])] };
}

export function addedEventOfNoProcess({ tenantId }: OfTenant, row: EventOfNoProcess): Change {
  const { environment, id, at, type, store_name, user_id, modality, code, rp_id } = row;
  const values = [tenantId, environment, id, at, type, store_name, user_id, modality, code, rp_id];
  return { statement: ADD_OF_NO_PROCESS, values };
}

/** Ids are in the order of time, so whatever is older than a moment has a smaller id. */
export function removeOldEvents(
  tx: TenantTx,
  { environment, beforeId, limit }: { environment: string; beforeId: string; limit: number },
): Promise<number> {
  return tx.run(REMOVE_OLD, [tx.tenantId, environment, beforeId, limit]);
}
