import type { api, Ok } from '@grove/contract';
import type { Db, TenantTx } from '../db/db.ts';
import { actor, callerIds } from '../kernel/actor.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { type AuditRow, addAuditEvent, addAuditEvents } from './audit.repository.ts';

/**
 * Who read what of a person, and who decided or deleted. A change is audited in its own transaction. A read is not worth
 * a commit of its own: reads are gathered and written together, every second and at a clean stop, so a crash may lose
 * those of the last second. Nothing is read that could not be noted.
 */
export type AuditAction = Ok<typeof api.auditEvents.list>['content'][number]['action'];

/** What was read of an instance, or of something else that `item` names. */
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
  details?: object;
};

export type AuditedUse = {
  action: AuditAction;
  environment: 'live' | 'test';
  actor: string;
  at: number;
  item: string;
};

export type Audit = {
  /** Called before the answer leaves; refuses if too much waits to be written. */
  noteRead(context: Context, details: AuditedRead): void;
  /** Records what the server itself does for a tenant, soon afterwards and without delaying it. */
  noteUse(tenantId: TenantId, use: AuditedUse): void;
  /** In the transaction of the change. */
  record(tx: TenantTx, change: AuditedChange): Promise<void>;
  /** The same for many changes of one transaction, in few statements. */
  recordAll(tx: TenantTx, changes: readonly AuditedChange[]): Promise<void>;
  flush(): Promise<void>;
  /** Writes what was gathered, a last time. */
  stop(): Promise<void>;
};

/** Past this, reads of personal data are refused until what was gathered is written. */
export const MAX_GATHERED = 20_000;
const WRITE_FROM = 2000;
const WRITE_EVERY_MS = 1000;
const ROWS_PER_TRANSACTION = 500;
const TENANTS_AT_ONCE = 8;

export type AuditDeps = { db: Db; onError(error: unknown): void; maxGathered?: number };

export function openAudit({ db, onError, maxGathered = MAX_GATHERED }: AuditDeps): Audit {
  let pending = new Map<TenantId, AuditRow[]>();
  /** How many wait, with those that are being written. */
  let waiting = 0;
  let flushing: Promise<void> | undefined;

  const gather = (tenantId: TenantId, rows: readonly AuditRow[]) => {
    const tenantRows = pending.get(tenantId);
    if (tenantRows) tenantRows.push(...rows);
    else pending.set(tenantId, [...rows]);
  };

  /** What could not be written is gathered again; its id is the same, so it is never there twice. */
  const writeOf = async (tenantId: TenantId, rows: AuditRow[]) => {
    for (let from = 0; from < rows.length; from += ROWS_PER_TRANSACTION) {
      const some = rows.slice(from, from + ROWS_PER_TRANSACTION);
      try {
        await db.of(tenantId).write((tx) => addAuditEvents(tx, some));
      } catch (error) {
        gather(tenantId, rows.slice(from));
        throw error;
      }
      waiting -= some.length;
    }
  };

  const writeAll = async () => {
    const writing = [...pending];
    pending = new Map();
    const failures: unknown[] = [];
    for (let from = 0; from < writing.length; from += TENANTS_AT_ONCE) {
      const some = writing.slice(from, from + TENANTS_AT_ONCE).map(([tenantId, rows]) => writeOf(tenantId, rows));
      for (const each of await Promise.allSettled(some)) if (each.status === 'rejected') failures.push(each.reason);
    }
    if (failures.length > 0) throw failures[0];
  };

  const flush = async (): Promise<void> => {
    // A flush that has begun may not include the caller's events, so another one follows.
    while (flushing) await flushing.catch(() => undefined);
    if (pending.size === 0) return;
    flushing = writeAll().finally(() => {
      flushing = undefined;
    });
    await flushing;
  };

  const timer = setInterval(() => flush().catch(onError), WRITE_EVERY_MS).unref();
  return {
    noteRead({ tenantId, principal, now, requestId }, { action, instanceId, item }) {
      if (waiting >= maxGathered) {
        throw new ApiError(100010, { log: 'too many audit events wait to be written', retryAfterSeconds: 1 });
      }
      const { environment } = principal;
      const { apiKeyId = null, operatorId = null } = callerIds(principal);
      gather(tenantId, [
        {
          environment,
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
        },
      ]);
      waiting += 1;
      if (waiting % WRITE_FROM === 0 && !flushing) flush().catch(onError);
    },
    noteUse(tenantId, { action, environment, actor, at, item }) {
      if (waiting >= maxGathered) return onError(new Error('too many audit events wait to be written'));
      const nobody = { api_key_id: null, operator_id: null, instance_id: null, request_id: null, details: null };
      gather(tenantId, [{ environment, id: newId(at), at, action, actor, item, ...nobody }]);
      waiting += 1;
    },
    record: recordChange,
    recordAll: recordChanges,
    flush,
    async stop() {
      clearInterval(timer);
      await flush().catch(onError);
    },
  };
}

/** Records a change without an audit service: for the operator's commands and the dispatcher of webhooks. */
export async function recordChange(tx: TenantTx, change: AuditedChange): Promise<void> {
  await addAuditEvent(tx, rowOf(change));
}

function recordChanges(tx: TenantTx, changes: readonly AuditedChange[]): Promise<void> {
  return addAuditEvents(tx, changes.map(rowOf));
}

function rowOf(change: AuditedChange): AuditRow {
  const { action, environment, actor, at, apiKeyId, operatorId, instanceId, item, requestId, details } = change;
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
  };
}

/** The audit fields of a change by a caller of the API. */
export function changedBy({ principal, now, requestId }: Context): Omit<AuditedChange, 'action'> {
  return {
    environment: principal.environment,
    actor: actor(principal),
    ...callerIds(principal),
    at: now,
    requestId,
  };
}
