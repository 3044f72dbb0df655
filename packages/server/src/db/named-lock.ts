import type { TenantTx } from './db.ts';
import { namedLock } from './sql/dialect.ts';
import { statement } from './sql/statement.ts';

const LOCK = statement(`SELECT ${namedLock(':name')} AS locked`);

/** Ensures that transactions of the tenant with the same name run one after another. On SQLite all writers do so anyway. */
export async function lockName(tx: TenantTx, ...name: readonly string[]): Promise<void> {
  await LOCK.get(tx, { name: JSON.stringify([tx.tenantId, ...name]) });
}
