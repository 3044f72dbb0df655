import { sql, type TenantReads, type TenantTx, unprepared, type Value } from '../db/db.ts';
import { FOR_UPDATE } from '../db/sql/dialect.ts';
import type { Paging } from '../kernel/pages.ts';

/** The log: what was to be told, and what became of it. What is still to be sent stands in the queue as well. */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED';

export type DeliveryRow = {
  id: string;
  webhook_id: string;
  event: string;
  instance_id: string | null;
  sequence: number | null;
  /** A JSON object. */
  payload: string;
  status: DeliveryStatus;
  attempts: number;
  next_at: number | null;
  created_at: number;
  last_at: number | null;
  last_status: number | null;
  last_error: string | null;
  last_ms: number | null;
};

export type NewDelivery = Pick<DeliveryRow, 'id' | 'webhook_id' | 'event' | 'instance_id' | 'sequence' | 'payload'> & {
  created_at: number;
};

export type Attempt = {
  id: string;
  at: number;
  status: number | null;
  error: string | null;
  milliseconds: number;
};

const COLUMNS = `id, webhook_id, event, instance_id, sequence, payload, status, attempts, next_at, created_at, last_at,
  last_status, last_error, last_ms`;
const ADD =
  sql(`INSERT INTO webhook_deliveries (tenant_id, id, webhook_id, event, instance_id, sequence, payload, status,
  attempts, next_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 'PENDING', 0, $8, $8)`);
const ENQUEUE = sql(`INSERT INTO webhook_queue (id, owner_tenant_id, webhook_id, next_at, tried, lease_until)
  VALUES ($1, $2, $3, $4, 0, 0) ON CONFLICT (id) DO UPDATE SET next_at = excluded.next_at`);
const ONE = sql(`SELECT ${COLUMNS} FROM webhook_deliveries WHERE tenant_id = $1 AND id = $2`);
const OF_WEBHOOK = sql(`SELECT ${COLUMNS} FROM webhook_deliveries WHERE tenant_id = $1 AND id = $2 AND webhook_id = $3
  ${FOR_UPDATE}`);
const REOPEN = sql(`UPDATE webhook_deliveries SET status = 'PENDING', next_at = $3 WHERE tenant_id = $1 AND id = $2`);
const SETTLE = sql(`UPDATE webhook_deliveries SET status = $3, next_at = $4, attempts = attempts + 1, last_at = $5,
  last_status = $6, last_error = $7, last_ms = $8 WHERE tenant_id = $1 AND id = $2`);
// A list of so many ids would be longer than a statement may be; one order makes both statements mean the same rows.
const FAILED_SINCE = `SELECT id FROM webhook_deliveries
  WHERE tenant_id = $1 AND webhook_id = $2 AND status = 'FAILED' AND last_at >= $3 ORDER BY id LIMIT $4`;
const ENQUEUE_FAILED = sql(`INSERT INTO webhook_queue (id, owner_tenant_id, webhook_id, next_at, tried, lease_until)
  SELECT id, $1, $2, CAST($5 AS BIGINT), 0, 0 FROM webhook_deliveries
  WHERE tenant_id = $1 AND id IN (${FAILED_SINCE}) ON CONFLICT (id) DO NOTHING`);
const REOPEN_FAILED = sql(`UPDATE webhook_deliveries SET status = 'PENDING', next_at = $5
  WHERE tenant_id = $1 AND id IN (${FAILED_SINCE})`);

/** Adds a delivery in the transaction of its event. */
export async function addDelivery(tx: TenantTx, row: NewDelivery): Promise<void> {
  const { id, webhook_id, event, instance_id, sequence, payload, created_at } = row;
  await tx.run(ADD, [tx.tenantId, id, webhook_id, event, instance_id, sequence, payload, created_at]);
  await tx.run(ENQUEUE, [id, tx.tenantId, webhook_id, created_at]);
}

export function findDelivery(db: TenantReads, id: string): Promise<DeliveryRow | undefined> {
  return db.get<DeliveryRow>(ONE, [db.tenantId, id]);
}

export function findDeliveryForUpdate(
  tx: TenantTx,
  { id, webhookId }: { id: string; webhookId: string },
): Promise<DeliveryRow | undefined> {
  return tx.get<DeliveryRow>(OF_WEBHOOK, [tx.tenantId, id, webhookId]);
}

/** It is sent at once, and if it had ended, its schedule begins anew. */
export async function replayDelivery(tx: TenantTx, row: DeliveryRow, now: number): Promise<void> {
  await tx.run(REOPEN, [tx.tenantId, row.id, now]);
  await tx.run(ENQUEUE, [row.id, tx.tenantId, row.webhook_id, now]);
}

/** How many are sent again, the oldest first. */
export async function replayFailed(
  tx: TenantTx,
  { webhookId, since, now, limit }: { webhookId: string; since: number; now: number; limit: number },
): Promise<number> {
  const values = [tx.tenantId, webhookId, since, limit, now];
  await tx.run(ENQUEUE_FAILED, values);
  return tx.run(REOPEN_FAILED, values);
}

export async function settleDelivery(
  tx: TenantTx,
  attempt: Attempt,
  { status, nextAt }: { status: DeliveryStatus; nextAt: number | null },
): Promise<void> {
  const { id, at, status: statusCode, error, milliseconds } = attempt;
  await tx.run(SETTLE, [tx.tenantId, id, status, nextAt, at, statusCode, error, milliseconds]);
}

export const SORTABLE = { id: 'id', createdDtm: 'created_at' } as const;

type Filter = { webhookId: string; status: string | undefined; instanceId: string | undefined };

export async function pageDeliveries(
  db: TenantReads,
  { webhookId, status, instanceId }: Filter,
  { orderBy, size, offset }: Paging,
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const values: Value[] = [db.tenantId, webhookId];
  const and = (column: string, value: string | undefined) => {
    if (!value) return '';
    values.push(value);
    return ` AND ${column} = $${values.length}`;
  };
  const where = `tenant_id = $1 AND webhook_id = $2${and('status', status)}${and('instance_id', instanceId)}`;
  const count = unprepared(`SELECT count(*) AS total FROM webhook_deliveries WHERE ${where}`);
  const counted = await db.get<{ total: number }>(count, values);
  const page = unprepared(`SELECT ${COLUMNS} FROM webhook_deliveries WHERE ${where} ORDER BY ${orderBy}
    LIMIT $${values.length + 1} + 0 OFFSET $${values.length + 2} + 0`);
  return { total: counted?.total ?? 0, rows: await db.all<DeliveryRow>(page, [...values, size, offset]) };
}

/** Ids are in the order of time, so whatever is older than a moment has a smaller id. */
const EXPIRE = sql(`UPDATE webhook_deliveries SET status = 'CANCELLED', next_at = NULL, last_error = 'expired'
  WHERE tenant_id = $1 AND id IN (SELECT id FROM webhook_deliveries
    WHERE tenant_id = $1 AND id < $2 AND status = 'PENDING' ORDER BY id LIMIT $3) RETURNING id`);
const UNQUEUE = sql('DELETE FROM webhook_queue WHERE owner_tenant_id = $1 AND id = $2');
const REMOVE_ENDED = sql(`DELETE FROM webhook_deliveries WHERE tenant_id = $1 AND id IN (
    SELECT id FROM webhook_deliveries WHERE tenant_id = $1 AND id < $2 AND status <> 'PENDING' ORDER BY id LIMIT $3)`);
// From one webhook to the next by the index: there are few of them, and very many deliveries.
const ORPHANED = sql(`WITH RECURSIVE known (webhook_id) AS (
    SELECT min(webhook_id) FROM webhook_deliveries WHERE tenant_id = $1
    UNION ALL
    SELECT (SELECT min(d.webhook_id) FROM webhook_deliveries d
      WHERE d.tenant_id = $1 AND d.webhook_id > known.webhook_id) FROM known WHERE known.webhook_id IS NOT NULL)
  SELECT webhook_id FROM known WHERE webhook_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM webhooks w WHERE w.tenant_id = $1 AND w.id = known.webhook_id) LIMIT 1`);
const REMOVE_OF = sql(`DELETE FROM webhook_deliveries WHERE tenant_id = $1 AND id IN (
    SELECT id FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2 ORDER BY id LIMIT $3)`);

/** What nobody could be told for so long is given up. */
export async function expireDeliveries(tx: TenantTx, beforeId: string, limit: number): Promise<number> {
  const expired = await tx.all<{ id: string }>(EXPIRE, [tx.tenantId, beforeId, limit]);
  for (const { id } of expired) await tx.run(UNQUEUE, [tx.tenantId, id]);
  return expired.length;
}

// By the index of the queue: what has been waiting longest of a webhook that has more waiting than it may.
const CROWDED = sql(`SELECT webhook_id, count(*) AS waiting FROM webhook_queue WHERE owner_tenant_id = $1
  GROUP BY webhook_id HAVING count(*) > $2 LIMIT 1`);
const OLDEST = sql(`SELECT id FROM webhook_queue WHERE owner_tenant_id = $1 AND webhook_id = $2 ORDER BY id LIMIT $3`);
const GIVE_UP = sql(`UPDATE webhook_deliveries SET status = 'CANCELLED', next_at = NULL, last_error = 'too_many_waiting'
  WHERE tenant_id = $1 AND id = $2`);

/** What is new matters more to a receiver that comes back than what it missed long ago; the log still shows it. */
export async function giveUpOverflow(tx: TenantTx, mostWaiting: number, limit: number): Promise<number> {
  const crowded = await tx.get<{ webhook_id: string; waiting: number }>(CROWDED, [tx.tenantId, mostWaiting]);
  if (!crowded) return 0;
  const tooMany = Math.min(limit, Number(crowded.waiting) - mostWaiting);
  const oldest = await tx.all<{ id: string }>(OLDEST, [tx.tenantId, crowded.webhook_id, tooMany]);
  for (const { id } of oldest) {
    await tx.run(GIVE_UP, [tx.tenantId, id]);
    await tx.run(UNQUEUE, [tx.tenantId, id]);
  }
  return oldest.length;
}

export function removeEndedDeliveries(tx: TenantTx, beforeId: string, limit: number): Promise<number> {
  return tx.run(REMOVE_ENDED, [tx.tenantId, beforeId, limit]);
}

/** Of a webhook that is gone. */
export async function removeOrphanedDeliveries(tx: TenantTx, limit: number): Promise<number> {
  const orphaned = await tx.get<{ webhook_id: string }>(ORPHANED, [tx.tenantId]);
  return orphaned ? tx.run(REMOVE_OF, [tx.tenantId, orphaned.webhook_id, limit]) : 0;
}
