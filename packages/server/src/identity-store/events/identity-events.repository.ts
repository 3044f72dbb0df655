import type { TenantTx } from '../../db/db.ts';
import {
  type EventOfNoProcess,
  type EventRow,
  eventsOfNoProcess,
  identityEventsTable,
} from './identity-events.table.ts';

const ADD = identityEventsTable.insert();
const ADD_OF_NO_PROCESS = eventsOfNoProcess.insert();
const OF_ENVIRONMENT = 'tenant_id = :tenant_id AND environment = :environment';

export async function addEvent(tx: TenantTx, row: EventRow | EventOfNoProcess): Promise<void> {
  if ('parent_process_defn_id' in row) ADD.send(tx, row);
  else ADD_OF_NO_PROCESS.send(tx, row);
}

/** Ids are ordered by time, so every event that is older than a moment has a smaller id. */
export const removeOldEvents = identityEventsTable.delete(`WHERE ${OF_ENVIRONMENT} AND id IN (
  SELECT id FROM identity_events WHERE ${OF_ENVIRONMENT} AND id < :beforeId ORDER BY id LIMIT :limit)`).run;
