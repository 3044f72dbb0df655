import type { api, Ok } from '@grove/contract';
import { toDtm } from '../../kernel/clock.ts';
import type { PushRow } from './push-notifications.repository.ts';
import { statusAt } from './push-rules.ts';
import type { PushContent } from './send-push.ts';

/** A push notification as callers see it, without the link to the journey and without the number. */
export type PushNotification = Ok<typeof api.pushNotifications.get>;

export function toPushNotification(row: PushRow, { title, message }: PushContent, now: number): PushNotification {
  return {
    id: row.id,
    type: row.type,
    rpId: row.rp_id,
    deviceId: row.device_id,
    status: statusAt(row, now),
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    ...(row.process_instance_id !== null && { processInstanceId: row.process_instance_id }),
    ...(row.process_token_id !== null && { processTokenId: row.process_token_id }),
    ...(row.parent_instance_id !== null && { parentProcessInstanceId: row.parent_instance_id }),
    createdDtm: toDtm(row.created_at),
    lastUpdatedDtm: toDtm(row.last_updated_at),
    expiringDtm: toDtm(row.expires_at),
  };
}
