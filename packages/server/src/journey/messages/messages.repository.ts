import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import type { Channel } from '../../engines/mail/mail.ts';
import type { MessageKind } from './write-message.ts';

/** A message to an end user. What is of a person in it is sealed, and gone once it is sent or given up. */
export type MessageRow = {
  id: string;
  instance_id: string;
  kind: MessageKind;
  channel: Channel;
  state: 'WAITING' | 'READY' | 'SENT' | 'FAILED';
  sealed: Uint8Array | null;
  created_at: number;
  expires_at: number | null;
};

const COLUMNS = 'id, instance_id, kind, channel, state, sealed, created_at, expires_at';
const ONE = sql(`SELECT ${COLUMNS} FROM journey_messages WHERE tenant_id = $1 AND id = $2`);
const SINCE = sql(`SELECT ${COLUMNS} FROM journey_messages
  WHERE tenant_id = $1 AND instance_id = $2 AND (created_at > $3 OR state = 'WAITING') ORDER BY created_at, id`);
const ADD = sql(`INSERT INTO journey_messages (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);
const END = sql(`UPDATE journey_messages SET state = $3, sealed = NULL
  WHERE tenant_id = $1 AND id = $2 AND state = 'READY'`);
const GIVE_UP_WAITING = sql(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL, expires_at = $3
  WHERE tenant_id = $1 AND instance_id = $2 AND state = 'WAITING'`);
const GIVE_UP_LINKS = sql(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL
  WHERE tenant_id = $1 AND instance_id = $2 AND kind = 'HANDOFF' AND state = 'READY'`);
const WAKE = sql(`UPDATE journey_messages SET state = 'READY', expires_at = $3
  WHERE tenant_id = $1 AND instance_id = $2 AND state = 'WAITING' RETURNING id`);
const ASK_AGAIN = sql(`UPDATE journey_messages SET kind = 'ASKED_AGAIN', state = 'READY', sealed = $3, expires_at = $4
  WHERE tenant_id = $1 AND id = $2 AND state = 'WAITING'`);
const FORGET = sql(`UPDATE journey_messages SET state = 'FAILED', sealed = NULL
  WHERE tenant_id = $1 AND id IN (SELECT id FROM journey_messages
    WHERE tenant_id = $1 AND expires_at <= $2 AND sealed IS NOT NULL ORDER BY expires_at LIMIT $3 + 0)`);
const REMOVE_OLD = sql(`DELETE FROM journey_messages WHERE tenant_id = $1 AND id IN (SELECT id FROM journey_messages
    WHERE tenant_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3 + 0)`);

export function findMessage(db: TenantReads, id: string): Promise<MessageRow | undefined> {
  return db.get<MessageRow>(ONE, [db.tenantId, id]);
}

/** Those since a moment, and the one that waits for the decision; the oldest first. There are never more than a few. */
export function messagesSince(db: TenantReads, instanceId: string, since: number): Promise<MessageRow[]> {
  return db.all<MessageRow>(SINCE, [db.tenantId, instanceId, since]);
}

export async function addMessage(tx: TenantTx, row: MessageRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.instance_id, row.kind, row.channel, row.state, row.sealed],
    ...[row.created_at, row.expires_at],
  ]);
}

/** What was in it is gone. */
export async function endMessage(tx: TenantTx, id: string, state: 'SENT' | 'FAILED'): Promise<void> {
  await tx.run(END, [tx.tenantId, id, state]);
}

/** Somebody else is to be told instead, or nobody. It still counts as one that was asked for. */
export async function giveUpWaiting(tx: TenantTx, instanceId: string, now: number): Promise<void> {
  await tx.run(GIVE_UP_WAITING, [tx.tenantId, instanceId, now]);
}

/** The link in it opens nothing any more. */
export async function giveUpLinks(tx: TenantTx, instanceId: string): Promise<void> {
  await tx.run(GIVE_UP_LINKS, [tx.tenantId, instanceId]);
}

/** The ids of those that waited and are to be sent now. */
export async function wakeWaiting(tx: TenantTx, instanceId: string, expiresAt: number): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(WAKE, [tx.tenantId, instanceId, expiresAt]);
  return rows.map(({ id }) => id);
}

/** A message that waited for the decision becomes one with a link. */
export async function readyToAskAgain(
  tx: TenantTx,
  { id, sealed, expiresAt }: { id: string; sealed: Uint8Array; expiresAt: number },
): Promise<void> {
  await tx.run(ASK_AGAIN, [tx.tenantId, id, sealed, expiresAt]);
}

/** Whatever became of the job that should have sent it. How many there were, of at most so many. */
export function forgetExpired(tx: TenantTx, now: number, limit: number): Promise<number> {
  return tx.run(FORGET, [tx.tenantId, now, limit]);
}

export function removeMessages(tx: TenantTx, expiredBefore: number, limit: number): Promise<number> {
  return tx.run(REMOVE_OLD, [tx.tenantId, expiredBefore, limit]);
}
