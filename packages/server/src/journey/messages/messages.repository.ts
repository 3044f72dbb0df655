import type { TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Channel } from '../../engines/mail/mail.ts';
import type { MessageKind } from './write-message.ts';

/** A message to an end user. Its personal data are sealed, and removed when it is sent or given up. */
const messages = table('journey_messages', {
  tenant_id: text(),
  id: text(),
  instance_id: text(),
  kind: text<MessageKind>(),
  channel: text<Channel>(),
  state: text<'WAITING' | 'READY' | 'SENT' | 'FAILED'>(),
  sealed: optional(bytes()),
  created_at: integer(),
  expires_at: optional(integer()),
});
const { columns } = messages;
export type MessageRow = RowOf<typeof messages>;
const WAKE = query<{ id: string }>()(`UPDATE journey_messages SET state = 'READY', expires_at = :expiresAt
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND state = 'WAITING' RETURNING id`);

export const findMessage = messages.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id').get;

/** The messages since a moment, and the one that waits for the decision; the oldest first. There are only a few. */
export const messagesSince = messages.select(
  columns,
  `WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND (created_at > :since OR state = 'WAITING')
  ORDER BY created_at, id`,
).all;

/** The messages of an instance, the newest first. */
export const messagesOf = messages.select(
  ['id', 'kind', 'channel', 'state', 'created_at'],
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId ORDER BY created_at DESC, id DESC LIMIT :limit + 0',
).all;

export const addMessage = messages.insert().send;

/** Marks the message as sent or given up, and removes its content. */
export const endMessage = statement(`UPDATE journey_messages SET state = :state, sealed = NULL
  WHERE tenant_id = :tenant_id AND id = :id AND state = 'READY'`).send;

/** Gives up a waiting message, because another address was named or nobody is to be notified. It still counts. */
export const giveUpWaiting = statement(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL, expires_at = :now
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND state = 'WAITING'`).send;

/** Gives up messages with a link that no longer works. */
export const giveUpLinks = statement(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND kind = 'HANDOFF' AND state = 'READY'`).send;

/** Makes waiting messages ready. Resolves to their ids. */
export async function wakeWaiting(tx: TenantTx, instanceId: string, expiresAt: number): Promise<string[]> {
  const rows = await WAKE.all(tx, { instanceId, expiresAt });
  return rows.map(({ id }) => id);
}

/** Turns a message that waited for the decision into one with a link. */
export const readyToAskAgain =
  statement(`UPDATE journey_messages SET kind = 'ASKED_AGAIN', state = 'READY', sealed = :sealed, expires_at = :expiresAt
  WHERE tenant_id = :tenant_id AND id = :id AND state = 'WAITING'`).send;

/** Gives up expired messages, even if their job was lost. Resolves to their number, up to the limit. */
export const forgetExpired = statement(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL
  WHERE tenant_id = :tenant_id AND id IN (SELECT id FROM journey_messages
    WHERE tenant_id = :tenant_id AND expires_at <= :now AND sealed IS NOT NULL ORDER BY expires_at LIMIT :limit + 0)`).run;

export const removeMessages = messages.delete(`WHERE tenant_id = :tenant_id AND id IN (SELECT id FROM journey_messages
    WHERE tenant_id = :tenant_id AND expires_at <= :expiredBefore ORDER BY expires_at LIMIT :limit + 0)`).run;
