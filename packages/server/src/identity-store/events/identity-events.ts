import type { IdentityEventType } from '@grove/contract';
import type { Plan, TenantReads, TenantTx } from '../../db/db.ts';
import { fold } from '../../kernel/pages.ts';
import type { Modality } from '../attempts/lock-rules.ts';
import { eventIds } from './event-ids.ts';
import {
  addedEvent,
  addedEventOfNoProcess,
  type EventOfNoProcess,
  type EventRow,
} from './identity-events.repository.ts';

/** The process in which it happened, where it happened in one. */
export type ProcessFields = {
  readonly parentProcessDefnId?: string;
  readonly parentProcessDefnName?: string;
  readonly parentProcessDefnVersion?: number;
  readonly parentProcessInstanceId?: string;
  readonly childProcessDefnName?: string;
  readonly childProcessDefnVersion?: number;
  readonly childProcessDefnTag?: string;
};

/** What happened in a store. Nothing of a person is in it. */
export type NewIdentityEvent = {
  readonly environment: 'live' | 'test';
  readonly storeName: string;
  readonly type: IdentityEventType;
  readonly now: number;
  readonly userId?: string | undefined;
  readonly modality?: Modality | undefined;
  /** Why it was refused. */
  readonly code?: number | undefined;
  readonly rpId?: string | undefined;
  readonly process?: ProcessFields | undefined;
};

/** In the transaction of what happened: it is there exactly if that is, and so is whatever is told of it. */
export type AddIdentityEvent = (tx: TenantTx, event: NewIdentityEvent) => Promise<void>;

/** The same for a transaction that is known beforehand. */
export type PlanIdentityEvent = (db: TenantReads, event: NewIdentityEvent) => Promise<Plan>;

/** As those who have subscribed are told. */
export type ToldIdentityEvent = Omit<NewIdentityEvent, 'now'> & { readonly id: string; readonly at: number };

/** What telling those who have subscribed adds to the transaction. */
export type NoticesOfEvent = (db: TenantReads, event: ToldIdentityEvent) => Promise<Plan>;

export function identityEvents(noticesOf: NoticesOfEvent): PlanIdentityEvent {
  const nextId = eventIds();
  return async (db, event) => {
    const { environment, storeName, type, now: at, userId, modality, code, rpId, process } = event;
    const id = nextId(at);
    const row = {
      ...{ environment, id, at, type, store_name: storeName, user_id: userId ?? null, modality: modality ?? null },
      ...{ code: code ?? null, rp_id: rpId ?? null },
    };
    const added = process ? addedEvent(db, { ...row, ...columnsOf(process) }) : addedEventOfNoProcess(db, row);
    const told = { environment, id, at, type, storeName, userId, modality, code, rpId, process };
    const { changes, afterCommit } = await noticesOf(db, told);
    return { changes: [added, ...changes], afterCommit };
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
