import { newId } from '../src/kernel/ids.ts';
import type { InstanceEvent } from '../src/kernel/instance-event.ts';

/** An event, for the tests of who is notified of it. */
export function eventOf(at: number, more: Partial<InstanceEvent> = {}): InstanceEvent {
  return {
    environment: 'live',
    type: 'instance.completed',
    instanceId: newId(at),
    sequence: 7,
    status: 'COMPLETED_ENDED_SUCCESS',
    at,
    processDefnId: newId(at),
    processDefnName: 'onboarding',
    processDefnVersion: 3,
    ...more,
  };
}
