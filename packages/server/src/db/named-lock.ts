import type { TenantTx } from './db.ts';
import { namedLock } from './sql/dialect.ts';
import { statement } from './sql/statement.ts';

const LOCK = statement(`SELECT ${namedLock(':name')} AS locked`);

/**
 * Ensures that transactions of the tenant with the same name run one after another. On SQLite all writers do so anyway.
 * PostgreSQL gets the lock in one packet with the next statement, which then sees what the transactions before have
 * committed.
 */
export function lockName(tx: TenantTx, ...name: readonly string[]): void {
  if (!tx.hasOneWriter) LOCK.send(tx, { name: JSON.stringify([tx.tenantId, ...name]) });
}
