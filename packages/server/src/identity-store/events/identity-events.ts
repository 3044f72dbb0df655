import type { IdentityEventType } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import { fold } from '../../kernel/pages.ts';
import type { ParentProcess } from '../../process-manager/engine/steps/identity-acts.ts';
import type { Modality } from '../attempts/lock-rules.ts';
import { addEvent } from './identity-events.repository.ts';
import type { EventOfNoProcess, EventRow } from './identity-events.table.ts';

/** The process in which the event happened, if any. */
export type ProcessFields = Partial<ParentProcess>;

/** An event of a store. It holds no personal data. */
export type NewIdentityEvent = {
  readonly environment: 'live' | 'test';
  readonly storeName: string;
  readonly type: IdentityEventType;
  readonly now: number;
  readonly userId?: string | undefined;
  readonly modality?: Modality | undefined;
  /** The code of the refusal. */
  readonly code?: number | undefined;
  readonly rpId?: string | undefined;
  readonly process?: ProcessFields | undefined;
};

/** Stores the event and its notifications in the transaction of the change: either all of it commits or nothing. */
export type AddIdentityEvent = (tx: TenantTx, event: NewIdentityEvent) => Promise<void>;

/** An event as subscribers receive it. */
export type PublishedEvent = Omit<NewIdentityEvent, 'now'> & { readonly id: string; readonly at: number };

/** Notifies the subscribers of an event, in its transaction. */
export type NotifyIdentity = (tx: TenantTx, event: PublishedEvent) => Promise<void>;

export function identityEvents(notify: NotifyIdentity): AddIdentityEvent {
  const nextId = eventIds();
  return async (tx, { now: at, process, ...event }) => {
    const { environment, storeName, type, userId, modality, code, rpId } = event;
    const id = nextId(at);
    const row: EventOfNoProcess = {
      environment,
      id,
      at,
      type,
      store_name: storeName,
      user_id: userId ?? null,
      modality: modality ?? null,
      code: code ?? null,
      rp_id: rpId ?? null,
    };
    await addEvent(tx, process ? { ...row, ...columnsOf(process) } : row);
    await notify(tx, { environment, id, at, type, storeName, userId, modality, code, rpId, process });
  };
}

function columnsOf(process: ProcessFields): Omit<EventRow, keyof EventOfNoProcess> {
  const folded = (text: string | undefined) => (text === undefined ? null : fold(text));
  return {
    parent_process_defn_id: process.parentProcessDefnId ?? null,
    parent_process_defn_name: process.parentProcessDefnName ?? null,
    parent_process_defn_version: process.parentProcessDefnVersion ?? null,
    parent_process_instance_id: process.parentProcessInstanceId ?? null,
    child_process_defn_name: process.childProcessDefnName ?? null,
    child_process_defn_version: process.childProcessDefnVersion ?? null,
    child_process_defn_tag: process.childProcessDefnTag ?? null,
    parent_process_defn_folded: folded(process.parentProcessDefnName),
    child_process_defn_folded: folded(process.childProcessDefnName),
    child_process_tag_folded: folded(process.childProcessDefnTag),
  };
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;

/**
 * Returns a generator of event ids. Events are sorted by id: within one millisecond each id of this process is greater
 * than the one before. So a lock always follows the failure that caused it.
 */
export function eventIds(): (now: number) => string {
  let last = '';
  return (now) => {
    const id = newId(now);
    const sameMoment = id.slice(0, TIME_LENGTH) === last.slice(0, TIME_LENGTH);
    last = sameMoment && id <= last ? (following(last) ?? id) : id;
    return last;
  };
}

/** Returns the next id of the same millisecond, or undefined after the last possible one. */
export function following(id: string): string | undefined {
  for (let at = id.length - 1; at >= TIME_LENGTH; at--) {
    const next = ALPHABET[ALPHABET.indexOf(id[at] as string) + 1];
    if (next) return id.slice(0, at) + next + '0'.repeat(id.length - at - 1);
  }
  return undefined;
}
