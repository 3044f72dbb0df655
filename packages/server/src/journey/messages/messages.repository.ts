import type { TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Channel } from '../../engines/mail/mail.ts';
import type { MessageKind } from './write-message.ts';

/** A message to an end user. What is of a person in it is sealed, and gone once it is sent or given up. */
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

/** Those since a moment, and the one that waits for the decision; the oldest first. There are never more than a few. */
export const messagesSince = messages.select(
  columns,
  `WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND (created_at > :since OR state = 'WAITING')
  ORDER BY created_at, id`,
).all;

/** The newest first. */
export const messagesOf = messages.select(
  ['id', 'kind', 'channel', 'state', 'created_at'],
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId ORDER BY created_at DESC, id DESC LIMIT :limit + 0',
).all;

export const addMessage = messages.insert().send;

/** Marks the message as sent or given up, and removes its content. */
export const endMessage = statement(`UPDATE journey_messages SET state = :state, sealed = NULL
  WHERE tenant_id = :tenant_id AND id = :id AND state = 'READY'`).send;

/** Somebody else is to be told instead, or nobody. It still counts as one that was asked for. */
export const giveUpWaiting = statement(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL, expires_at = :now
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND state = 'WAITING'`).send;

/** The link in it opens nothing any more. */
export const giveUpLinks = statement(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND kind = 'HANDOFF' AND state = 'READY'`).send;

/** The ids of those that waited and are to be sent now. */
export async function wakeWaiting(tx: TenantTx, instanceId: string, expiresAt: number): Promise<string[]> {
  const rows = await WAKE.all(tx, { instanceId, expiresAt });
  return rows.map(({ id }) => id);
}

/** A message that waited for the decision becomes one with a link. */
export const readyToAskAgain =
  statement(`UPDATE journey_messages SET kind = 'ASKED_AGAIN', state = 'READY', sealed = :sealed, expires_at = :expiresAt
  WHERE tenant_id = :tenant_id AND id = :id AND state = 'WAITING'`).send;

/** Whatever became of the job that should have sent it. How many there were, of at most so many. */
export const forgetExpired = statement(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL
  WHERE tenant_id = :tenant_id AND id IN (SELECT id FROM journey_messages
    WHERE tenant_id = :tenant_id AND expires_at <= :now AND sealed IS NOT NULL ORDER BY expires_at LIMIT :limit + 0)`).run;

export const removeMessages = messages.delete(`WHERE tenant_id = :tenant_id AND id IN (SELECT id FROM journey_messages
    WHERE tenant_id = :tenant_id AND expires_at <= :expiredBefore ORDER BY expires_at LIMIT :limit + 0)`).run;
