import type { TenantReads } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { PushStatus, PushType } from './push-rules.ts';

const notifications = table('push_notifications', {
  tenant_id: text(),
  id: text(),
  store_id: text(),
  user_id: text(),
  rp_id: text(),
  device_id: text(),
  send_id: text(),
  type: text<PushType>(),
  status: text<PushStatus>(),
  /** Sealed for the user. */
  sealed: bytes(),
  process_instance_id: optional(text()),
  parent_instance_id: optional(text()),
  handed_at: optional(integer()),
  reason: optional(text()),
  created_at: integer(),
  last_updated_at: integer(),
  expires_at: integer(),
  process_token_id: optional(text()),
});
const { columns } = notifications;
export type PushRow = RowOf<typeof notifications>;

const OPEN = "status IN ('SENT', 'DELIVERED', 'ACCEPTED')";
// A record later than `until` was written while a clock was ahead. It must not block the user until that time.
const SENDS = query<{
  total: number;
  oldest: number | null;
}>()(`SELECT count(DISTINCT send_id) AS total, min(created_at) AS oldest FROM push_notifications
  WHERE tenant_id = :tenant_id AND user_id = :userId AND created_at > :since AND created_at <= :until`);

export const addPush = notifications.insert().send;
export const findPush = notifications.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id').get;

/**
 * Locks and returns all notifications of the same call. No other transaction can change them until this one ends. Every
 * statement that locks several rows locks them in the order of their ids (deadlocks).
 */
export const lockSend = notifications.select(
  columns,
  `WHERE tenant_id = :tenant_id AND user_id = :user_id AND created_at = :created_at AND send_id = :send_id
  ORDER BY id ${FOR_UPDATE}`,
).all;

/** Sorted by relying party and device, then newest first. */
export const activePushes = notifications.select(
  columns,
  `WHERE tenant_id = :tenant_id AND user_id = :userId AND ${OPEN} AND expires_at > :now
  ORDER BY rp_id, device_id, id DESC LIMIT :limit`,
).all;

/** How often something was sent to the user between the two times, and when first. */
export async function countSends(
  db: TenantReads,
  userId: string,
  { since, until }: { since: number; until: number },
): Promise<{ total: number; oldest: number | null }> {
  const row = await SENDS.get(db, { userId, since, until });
  return row ?? { total: 0, oldest: null };
}

export const setPushStatus =
  query<PushRow>()(`UPDATE push_notifications SET status = :status, reason = :reason, last_updated_at = :now
  WHERE tenant_id = :tenant_id AND id = :id`).send;

export const noteHanded = query<PushRow>()(`UPDATE push_notifications SET handed_at = :now, last_updated_at = :now
  WHERE tenant_id = :tenant_id AND id = :id AND handed_at IS NULL`).send;

/** Marks the notification as failed, unless the provider has accepted it or the device has answered. */
export const failPush =
  query<PushRow>()(`UPDATE push_notifications SET status = 'FAILED', reason = :reason, last_updated_at = :now
  WHERE tenant_id = :tenant_id AND id = :id AND status = 'SENT' AND handed_at IS NULL`).send;

export type EndedPush = Pick<PushRow, 'id' | 'status' | 'parent_instance_id' | 'process_token_id'>;

/** Ends the open notifications of the instance. Returns all its notifications, with their status afterwards. */
export const endPushesOf = query<EndedPush>()(`WITH pushes AS (SELECT id FROM push_notifications
    WHERE tenant_id = :tenant_id AND process_instance_id = :instanceId ORDER BY id ${FOR_UPDATE})
  UPDATE push_notifications SET status = CASE WHEN ${OPEN} THEN :status ELSE status END,
    last_updated_at = CASE WHEN ${OPEN} THEN :now ELSE last_updated_at END
  WHERE tenant_id = :tenant_id AND id IN (SELECT id FROM pushes)
  RETURNING id, status, parent_instance_id, process_token_id`).all;

export const removeOldPushes = notifications.delete(`WHERE tenant_id = :tenant_id AND id IN (
    SELECT id FROM push_notifications WHERE tenant_id = :tenant_id AND expires_at <= :expiredBefore LIMIT :limit)`).run;
