import type { api, Ok } from '@grove/contract';
import type { Db, TenantTx } from '../db/db.ts';
import { actor, callerIds } from '../kernel/actor.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { type AuditRow, addAuditEvent, addAuditEvents } from './audit.repository.ts';
import { openPendingEvents } from './pending-events.ts';

/**
 * The audit trail: who read personal data, and who decided, changed or deleted something. A change is recorded in its
 * own transaction. Reads are collected in memory and written together, every second and at a clean stop, because a
 * commit for each would cost too much; a crash may lose those of the last second. A read that cannot be recorded is
 * refused.
 */
export type AuditAction = Ok<typeof api.auditEvents.list>['content'][number]['action'];

/** A read of an instance, or of something else that `item` names. */
export type AuditedRead = { action: AuditAction; instanceId?: string; item?: string };

export type AuditedChange = {
  action: AuditAction;
  environment: 'live' | 'test';
  actor: string;
  at: number;
  apiKeyId?: string;
  operatorId?: string;
  instanceId?: string;
  item?: string;
  requestId?: string;
  address?: string;
  details?: object;
};

export type AuditedUse = Pick<AuditedChange, 'action' | 'environment' | 'actor' | 'at'> & { item: string };

export type Audit = {
  /** Called before the answer is sent. Refuses with 100010 if too many events wait to be written. */
  noteRead(context: Context, details: AuditedRead): void;
  /** Records what the server itself does for a tenant, soon afterwards and without delaying it. */
  noteUse(tenantId: TenantId, use: AuditedUse): void;
  /** Called in the transaction of the change. */
  record(tx: TenantTx, change: AuditedChange): Promise<void>;
  /** `record` for many changes of one transaction, in few statements. */
  recordAll(tx: TenantTx, changes: readonly AuditedChange[]): Promise<void>;
  flush(): Promise<void>;
  /** Writes the pending events a last time. */
  stop(): Promise<void>;
};

/** The highest number of pending events. Beyond it, reads of personal data are refused. */
export const MAX_PENDING = 20_000;
const WRITE_FROM = 2000;

export type AuditDeps = { db: Db; onError(error: unknown): void; maxPending?: number };

export function openAudit({ db, onError, maxPending = MAX_PENDING }: AuditDeps): Audit {
  const pending = openPendingEvents({ db, onError });
  return {
    noteRead({ tenantId, principal, now, requestId, address }, { action, instanceId, item }) {
      if (pending.size >= maxPending) {
        throw new ApiError(100010, { log: 'too many audit events wait to be written', retryAfterSeconds: 1 });
      }
      const { apiKeyId = null, operatorId = null } = callerIds(principal);
      pending.add(tenantId, {
        environment: principal.environment,
        id: newId(now),
        at: now,
        action,
        actor: actor(principal),
        api_key_id: apiKeyId,
        operator_id: operatorId,
        instance_id: instanceId ?? null,
        item: item ?? null,
        request_id: requestId,
        details: null,
        address: address || null,
      });
      if (pending.size % WRITE_FROM === 0) pending.hurry();
    },
    noteUse(tenantId, { action, environment, actor, at, item }) {
      if (pending.size >= maxPending) return onError(new Error('too many audit events wait to be written'));
      const nobody = {
        api_key_id: null,
        operator_id: null,
        instance_id: null,
        request_id: null,
        details: null,
        address: null,
      };
      pending.add(tenantId, { environment, id: newId(at), at, action, actor, item, ...nobody });
    },
    record: recordChange,
    recordAll: recordChanges,
    flush: pending.flush,
    stop: pending.stop,
  };
}

/** Records a change without an audit service: for the operator's commands and the dispatcher of webhooks. */
export async function recordChange(tx: TenantTx, change: AuditedChange): Promise<void> {
  addAuditEvent(tx, rowOf(change));
}

async function recordChanges(tx: TenantTx, changes: readonly AuditedChange[]): Promise<void> {
  addAuditEvents(tx, changes.map(rowOf));
}

function rowOf(change: AuditedChange): AuditRow {
  const { action, environment, actor, at, apiKeyId, operatorId, instanceId, item, requestId, details, address } =
    change;
  return {
    environment,
    id: newId(at),
    at,
    action,
    actor,
    api_key_id: apiKeyId ?? null,
    operator_id: operatorId ?? null,
    instance_id: instanceId ?? null,
    item: item ?? null,
    request_id: requestId ?? null,
    details: details === undefined ? null : JSON.stringify(details),
    address: address || null,
  };
}

/** The audit fields of a change by a caller of the API. */
export function changedBy({ principal, now, requestId, address }: Context): Omit<AuditedChange, 'action'> {
  return {
    environment: principal.environment,
    actor: actor(principal),
    ...callerIds(principal),
    at: now,
    requestId,
    address,
  };
}
