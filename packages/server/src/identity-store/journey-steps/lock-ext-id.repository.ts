import { sql, type TenantTx } from '../../db/db.ts';

const LOCK = sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0)) AS locked');

/**
 * Journeys that add a user of one name do it one after another: the second finds what the first has made. On SQLite
 * writers do so anyway.
 */
export async function lockExtId(tx: TenantTx, storeId: string, extId: string): Promise<void> {
  if (tx.engine === 'postgres') await tx.get(LOCK, [JSON.stringify([tx.tenantId, storeId, extId])]);
}
