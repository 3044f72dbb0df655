import type { TenantReads, TenantTx } from '../db/db.ts';
import { findSetting, putSetting } from '../db/tenant-settings.ts';

/** The moment until which all erasures in the log are done in this database. */
const NAME = 'retention.erasuresKnown';

export async function erasuresKnownUntil(db: TenantReads): Promise<number | undefined> {
  const row = await findSetting(db, { name: NAME });
  return row && Number(row.value);
}

export async function setErasuresKnown(tx: TenantTx, at: number): Promise<void> {
  await putSetting(tx, { name: NAME, value: String(at), last_updated_at: at, last_updated_by: 'Retention' });
}
