import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import type { PushStatus, PushType } from './push-rules.ts';

export type PushRow = {
  id: string;
  store_id: string;
  user_id: string;
  rp_id: string;
  device_id: string;
  send_id: string;
  type: PushType;
  status: PushStatus;
  /** Sealed for the user. */
  sealed: Uint8Array;
  process_instance_id: string | null;
  parent_instance_id: string | null;
  handed_at: number | null;
  reason: string | null;
  created_at: number;
  last_updated_at: number;
  expires_at: number;
  process_token_id: string | null;
};

const COLUMNS = `id, store_id, user_id, rp_id, device_id, send_id, type, status, sealed, process_instance_id,
  parent_instance_id, handed_at, reason, created_at, last_updated_at, expires_at, process_token_id`;
const OPEN = "status IN ('SENT', 'DELIVERED', 'ACCEPTED')";
const ADD = sql(`INSERT INTO push_notifications (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`);
const ONE = sql(`SELECT ${COLUMNS} FROM push_notifications WHERE tenant_id = $1 AND id = $2`);
// Everybody who locks several locks them in the order of their ids.
const OF_SEND_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM push_notifications
  WHERE tenant_id = $1 AND user_id = $2 AND created_at = $3 AND send_id = $4 ORDER BY id ${FOR_UPDATE}`);
const ACTIVE = sql(`SELECT ${COLUMNS} FROM push_notifications
  WHERE tenant_id = $1 AND user_id = $2 AND ${OPEN} AND expires_at > $3 ORDER BY rp_id, device_id, id DESC LIMIT $4`);
const SENDS = sql(`SELECT count(DISTINCT send_id) AS total, min(created_at) AS oldest FROM push_notifications
  WHERE tenant_id = $1 AND user_id = $2 AND created_at > $3`);
const SET_STATUS = sql(`UPDATE push_notifications SET status = $3, reason = $4, last_updated_at = $5
  WHERE tenant_id = $1 AND id = $2`);
const HANDED = sql(`UPDATE push_notifications SET handed_at = $3, last_updated_at = $3
  WHERE tenant_id = $1 AND id = $2 AND handed_at IS NULL`);
const FAIL = sql(`UPDATE push_notifications SET status = 'FAILED', reason = $3, last_updated_at = $4
  WHERE tenant_id = $1 AND id = $2 AND status = 'SENT' AND handed_at IS NULL`);
const END_OF_INSTANCE = sql(`WITH told AS (SELECT id FROM push_notifications
    WHERE tenant_id = $1 AND process_instance_id = $2 ORDER BY id ${FOR_UPDATE})
  UPDATE push_notifications SET status = CASE WHEN ${OPEN} THEN $3 ELSE status END,
    last_updated_at = CASE WHEN ${OPEN} THEN $4 ELSE last_updated_at END
  WHERE tenant_id = $1 AND id IN (SELECT id FROM told)
  RETURNING id, status, parent_instance_id, process_token_id`);
const REMOVE_OLD = sql(`DELETE FROM push_notifications WHERE tenant_id = $1 AND id IN (
    SELECT id FROM push_notifications WHERE tenant_id = $1 AND expires_at <= $2 LIMIT $3)`);

export async function addPush(tx: TenantTx, row: PushRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.store_id, row.user_id, row.rp_id, row.device_id, row.send_id, row.type, row.status],
    ...[row.sealed, row.process_instance_id, row.parent_instance_id, row.handed_at, row.reason, row.created_at],
    ...[row.last_updated_at, row.expires_at, row.process_token_id],
  ]);
}

export function findPush(db: TenantReads, id: string): Promise<PushRow | undefined> {
  return db.get<PushRow>(ONE, [db.tenantId, id]);
}

/** All that were sent by the same call. Nobody else can change them until the transaction ends. */
export function lockSend(tx: TenantTx, { user_id, created_at, send_id }: PushRow): Promise<PushRow[]> {
  return tx.all<PushRow>(OF_SEND_FOR_UPDATE, [tx.tenantId, user_id, created_at, send_id]);
}

/** By relying party and device, the newest first. */
export function activePushes(
  db: TenantReads,
  { userId, now, limit }: { userId: string; now: number; limit: number },
): Promise<PushRow[]> {
  return db.all<PushRow>(ACTIVE, [db.tenantId, userId, now, limit]);
}

/** How often the user was sent something since then, and when first. */
export async function sendsSince(
  db: TenantReads,
  userId: string,
  since: number,
): Promise<{ total: number; oldest: number | null }> {
  const found = await db.get<{ total: number; oldest: number | null }>(SENDS, [db.tenantId, userId, since]);
  return found ?? { total: 0, oldest: null };
}

export async function setPushStatus(
  tx: TenantTx,
  id: string,
  { status, reason, now }: { status: PushStatus; reason: string | null; now: number },
): Promise<void> {
  await tx.run(SET_STATUS, [tx.tenantId, id, status, reason, now]);
}

export async function noteHanded(tx: TenantTx, id: string, now: number): Promise<void> {
  await tx.run(HANDED, [tx.tenantId, id, now]);
}

/** Unless it has reached the device after all. */
export async function failPush(tx: TenantTx, id: string, reason: string, now: number): Promise<void> {
  await tx.run(FAIL, [tx.tenantId, id, reason, now]);
}

export type EndedPush = Pick<PushRow, 'id' | 'status' | 'parent_instance_id' | 'process_token_id'>;

/** All that ask for the instance: those that were open have ended so, the others stay what they were. */
export function endPushesOf(tx: TenantTx, instanceId: string, status: PushStatus, now: number): Promise<EndedPush[]> {
  return tx.all<EndedPush>(END_OF_INSTANCE, [tx.tenantId, instanceId, status, now]);
}

export function removeOldPushes(tx: TenantTx, expiredBefore: number, limit: number): Promise<number> {
  return tx.run(REMOVE_OLD, [tx.tenantId, expiredBefore, limit]);
}
