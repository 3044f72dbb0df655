import type { TenantTx } from '../../db/db.ts';
import type { InstanceEvent } from '../../kernel/instance-event.ts';
import type { NewEvent } from './instance-events.repository.ts';
import type { InstanceRow } from './process-instances.repository.ts';

/** Told in the transaction of the events: `before` is how many events the instance had. */
export type TellEvents = (
  tx: TenantTx,
  row: InstanceRow,
  events: readonly NewEvent[],
  told: { before: number; now: number },
) => Promise<void>;

export function eventTeller(notify: (tx: TenantTx, event: InstanceEvent) => Promise<void>): TellEvents {
  return async (tx, row, events, { before, now }) => {
    for (const [at, event] of events.entries()) await notify(tx, instanceEvent(row, event, before + at + 1, now));
  };
}

export function instanceEvent(row: InstanceRow, event: NewEvent, sequence: number, now: number): InstanceEvent {
  return {
    environment: row.environment,
    type: event.type,
    instanceId: row.id,
    sequence,
    status: event.status,
    at: now,
    step: event.step,
    data: event.data,
    processDefnId: row.definition_id,
    processDefnName: row.process_defn_name,
    processDefnVersion: row.process_defn_version,
  };
}
