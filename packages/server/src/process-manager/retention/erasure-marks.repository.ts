import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';

/** Until when everything that was erased is gone from this database, and which of some instances are there. */
const OLDEST = sql(`SELECT created_at AS at FROM process_instances WHERE tenant_id = $1
  AND id = (SELECT min(id) FROM process_instances WHERE tenant_id = $1)`);
const NAME = 'retention.erasuresKnown';
const KNOWN = sql('SELECT value AS at FROM tenant_settings WHERE tenant_id = $1 AND name = $2');
const SET_KNOWN = sql(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, name)
  DO UPDATE SET value = excluded.value, last_updated_at = excluded.last_updated_at`);

export async function erasuresKnownUntil(db: TenantReads): Promise<number | undefined> {
  const found = await db.get<{ at: string }>(KNOWN, [db.tenantId, NAME]);
  return found && Number(found.at);
}

/** When the first instance was made that is still there. */
export async function oldestInstance(db: TenantReads): Promise<number | undefined> {
  return (await db.get<{ at: number }>(OLDEST, [db.tenantId]))?.at;
}

export async function setErasuresKnown(tx: TenantTx, at: number): Promise<void> {
  await tx.run(SET_KNOWN, [tx.tenantId, NAME, String(at), at, 'Retention']);
}

/** As many as one entry of the log holds. */
export const AMONG_AT_ONCE = 100;
const AMONG = sql(`SELECT id FROM process_instances WHERE tenant_id = $1
  AND id IN (${Array.from({ length: AMONG_AT_ONCE }, (_, at) => `$${at + 2}`).join(', ')})`);

export async function instancesAmong(db: TenantReads, ids: readonly string[]): Promise<string[]> {
  if (ids.length > AMONG_AT_ONCE) throw new Error(`at most ${AMONG_AT_ONCE} instances can be asked for at once`);
  const padded = [...ids, ...Array<string>(AMONG_AT_ONCE - ids.length).fill('')];
  return (await db.all<{ id: string }>(AMONG, [db.tenantId, ...padded])).map(({ id }) => id);
}
