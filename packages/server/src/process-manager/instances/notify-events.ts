import type { TenantTx } from '../../db/db.ts';
import type { InstanceEvent } from '../../kernel/instance-event.ts';
import { addEvents, type NewEvent, setSequence } from './instance-events.repository.ts';
import type { InstanceRow } from './process-instances.repository.ts';

/** The columns of an instance that its events have. */
type EventSource = Pick<
  InstanceRow,
  'id' | 'environment' | 'definition_id' | 'process_defn_name' | 'process_defn_version'
>;

/** Notifies subscribers in the transaction of the events; `before` is the sequence before them. */
export type NotifyEvents = (
  tx: TenantTx,
  row: EventSource,
  events: readonly NewEvent[],
  sequence: { before: number; now: number },
) => Promise<void>;

/** Begins to read the subscribers. The lock of the instance was sent before. */
export type ExpectNotified = (tx: TenantTx) => void;

export function eventNotifier(notify: (tx: TenantTx, events: readonly InstanceEvent[]) => Promise<void>): NotifyEvents {
  return (tx, row, events, { before, now }) =>
    notify(
      tx,
      events.map((event, at) => instanceEvent(row, event, before + at + 1, now)),
    );
}

/** Stores an event and notifies its subscribers. The caller has locked the row. */
export async function recordEvent(
  { tx, notifyEvents, now }: { tx: TenantTx; notifyEvents: NotifyEvents; now: number },
  row: EventSource & Pick<InstanceRow, 'sequence'>,
  event: NewEvent,
): Promise<void> {
  await addEvents(tx, row, [event], now);
  setSequence(tx, { id: row.id, sequence: row.sequence + 1 });
  await notifyEvents(tx, row, [event], { before: row.sequence, now });
}

export function instanceEvent(row: EventSource, event: NewEvent, sequence: number, now: number): InstanceEvent {
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
