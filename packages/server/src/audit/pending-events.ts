import type { Db } from '../db/db.ts';
import { type Flusher, openFlusher } from '../kernel/flusher.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type AuditRow, addAuditEvents } from './audit.repository.ts';

/** Audit events that wait to be written together, by tenant. */
export type PendingEvents = Flusher & {
  add(tenantId: TenantId, row: AuditRow): void;
  /** The number of pending events, including those that are being written. */
  readonly size: number;
};

const WRITE_EVERY_MS = 1000;
const ROWS_PER_TRANSACTION = 500;
const TENANTS_AT_ONCE = 8;

export function openPendingEvents({ db, onError }: { db: Db; onError(error: unknown): void }): PendingEvents {
  let pending = new Map<TenantId, AuditRow[]>();
  let size = 0;

  const gather = (tenantId: TenantId, rows: readonly AuditRow[]) => {
    const tenantRows = pending.get(tenantId);
    if (tenantRows) tenantRows.push(...rows);
    else pending.set(tenantId, [...rows]);
  };

  /**
   * Writes events of a tenant. If it fails, they are pending again; their ids stay the same, so none is stored twice.
   */
  const writeOf = async (tenantId: TenantId, rows: AuditRow[]) => {
    for (let from = 0; from < rows.length; from += ROWS_PER_TRANSACTION) {
      const some = rows.slice(from, from + ROWS_PER_TRANSACTION);
      try {
        await db.of(tenantId).write(async (tx) => addAuditEvents(tx, some));
      } catch (error) {
        gather(tenantId, rows.slice(from));
        throw error;
      }
      size -= some.length;
    }
  };

  const write = async () => {
    const writing = [...pending];
    pending = new Map();
    const failures: unknown[] = [];
    for (let from = 0; from < writing.length; from += TENANTS_AT_ONCE) {
      const some = writing.slice(from, from + TENANTS_AT_ONCE).map(([tenantId, rows]) => writeOf(tenantId, rows));
      for (const each of await Promise.allSettled(some)) if (each.status === 'rejected') failures.push(each.reason);
    }
    if (failures.length > 0) throw failures[0];
  };

  return {
    ...openFlusher({ everyMs: WRITE_EVERY_MS, write, onError }),
    get size() {
      return size;
    },
    add(tenantId, row) {
      gather(tenantId, [row]);
      size += 1;
    },
  };
}
