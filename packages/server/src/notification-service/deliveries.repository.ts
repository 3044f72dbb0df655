import type { TenantReads, TenantTx } from '../db/db.ts';
import { FOR_SHARE, FOR_UPDATE, inList } from '../db/sql/dialect.ts';
import { countInStretches, listInStretches } from '../db/sql/list-in-stretches.ts';
import { query, statement } from '../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../db/sql/table.ts';
import type { Paging } from '../kernel/pages.ts';
import { removeFromQueue } from './queue.repository.ts';

/** The log of deliveries and their results. Deliveries that must still be sent are in the queue as well. */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED';

const deliveries = table('webhook_deliveries', {
  tenant_id: text(),
  id: text(),
  webhook_id: text(),
  event: text(),
  instance_id: optional(text()),
  sequence: optional(integer()),
  /** A JSON object. */
  payload: text(),
  status: text<DeliveryStatus>(),
  attempts: integer(),
  next_at: optional(integer()),
  created_at: integer(),
  last_at: optional(integer()),
  last_status: optional(integer()),
  last_error: optional(text()),
  last_ms: optional(integer()),
  /** The answer of the endpoint to a refused delivery. It goes with the person of the instance. */
  last_answer: optional(text()),
});
export type DeliveryRow = RowOf<typeof deliveries>;

export type NewDelivery = Pick<DeliveryRow, 'id' | 'webhook_id' | 'event' | 'instance_id' | 'sequence' | 'payload'> & {
  created_at: number;
};

export type Attempt = {
  id: string;
  at: number;
  status: number | null;
  error: string | null;
  milliseconds: number;
  answer: string | null;
};

const queue = table('webhook_queue', {
  id: text(),
  owner_tenant_id: text(),
  webhook_id: text(),
  next_at: integer(),
  tried: integer(),
  lease_until: integer(),
});
const { columns } = deliveries;
const OF_TENANT = 'WHERE tenant_id = :tenant_id';
const BY_ID = `${OF_TENANT} AND id = :id`;
const ADD = deliveries.insert();
const ENQUEUE = queue.insert('ON CONFLICT (id) DO UPDATE SET next_at = excluded.next_at');
const REOPEN = deliveries.update(['status', 'next_at'], BY_ID);
// The lock ensures that an erasure under way ends first, and that its instance is then found to be gone.
const OF_PERSON_THAT_STAYS = `SELECT i.id FROM process_instances i WHERE i.tenant_id = webhook_deliveries.tenant_id
  AND i.id = webhook_deliveries.instance_id AND i.redacted_at IS NULL ${FOR_SHARE}`;
const SETTLE = statement(`UPDATE webhook_deliveries SET status = :status, next_at = :nextAt, attempts = attempts + 1,
  last_at = :at, last_status = :answerStatus, last_error = :error, last_ms = :milliseconds,
  last_answer = CASE WHEN CAST(:answer AS TEXT) IS NULL THEN NULL
    WHEN instance_id IS NULL OR EXISTS (${OF_PERSON_THAT_STAYS}) THEN :answer END
  ${BY_ID}`);
// A list of so many ids is too long for a statement. The order ensures that both statements select the same rows.
const FAILED_SINCE = `SELECT id FROM webhook_deliveries ${OF_TENANT} AND webhook_id = :webhookId AND status = 'FAILED'
  AND last_at >= :since ORDER BY id LIMIT :limit`;
const ENQUEUE_FAILED = statement(`INSERT INTO webhook_queue (${queue.columns.join(', ')})
  SELECT id, tenant_id, webhook_id, CAST(:now AS BIGINT), 0, 0 FROM webhook_deliveries
  ${OF_TENANT} AND id IN (${FAILED_SINCE}) ON CONFLICT (id) DO NOTHING`);
const REOPEN_FAILED = statement(`UPDATE webhook_deliveries SET status = 'PENDING', next_at = :now
  ${OF_TENANT} AND id IN (${FAILED_SINCE})`);
const NEW = {
  attempts: 0,
  last_at: null,
  last_status: null,
  last_error: null,
  last_ms: null,
  last_answer: null,
  status: 'PENDING',
} as const;

/** Adds a delivery in the transaction of its event. */
export async function addDelivery(tx: TenantTx, row: NewDelivery): Promise<void> {
  const { id, webhook_id, created_at: now } = row;
  ADD.send(tx, { ...NEW, ...row, next_at: now });
  enqueue(tx, { id, webhook_id }, now);
}

export const findDelivery = deliveries.select(columns, BY_ID).get;

export const findDeliveryForUpdate = deliveries.select(
  columns,
  `${BY_ID} AND webhook_id = :webhook_id ${FOR_UPDATE}`,
).get;

/** Sends the delivery at once. If it had ended, its schedule begins anew. */
export async function replayDelivery(
  tx: TenantTx,
  { id, webhook_id }: Pick<DeliveryRow, 'id' | 'webhook_id'>,
  now: number,
): Promise<void> {
  await REOPEN.run(tx, { id, status: 'PENDING', next_at: now });
  enqueue(tx, { id, webhook_id }, now);
}

function enqueue(tx: TenantTx, ids: Pick<DeliveryRow, 'id' | 'webhook_id'>, next_at: number): void {
  ENQUEUE.send(tx, { ...ids, owner_tenant_id: tx.tenantId, next_at, tried: 0, lease_until: 0 });
}

/** Sends failed deliveries again, the oldest first. Resolves to their number. */
export async function replayFailed(
  tx: TenantTx,
  failed: { webhookId: string; since: number; now: number; limit: number },
): Promise<number> {
  await ENQUEUE_FAILED.run(tx, failed);
  return REOPEN_FAILED.run(tx, failed);
}

export async function settleDelivery(
  tx: TenantTx,
  { id, at, status: answerStatus, error, milliseconds, answer }: Attempt,
  { status, nextAt }: { status: DeliveryStatus; nextAt: number | null },
): Promise<void> {
  await SETTLE.run(tx, { id, status, nextAt, at, answerStatus, error, milliseconds, answer });
}

/** Ids are in the order of creation. */
export const SORTABLE = { id: 'id', createdDtm: 'id' } as const;

const OF_WEBHOOK = `${OF_TENANT} AND webhook_id = :webhook_id` as const;
const LIST = deliveries.list(columns, OF_WEBHOOK);
const COUNT = countInStretches(deliveries, OF_WEBHOOK);

export async function pageDeliveries(db: TenantReads, webhook: { webhook_id: string }, paging: Paging) {
  return { rows: await LIST.page(db, webhook, paging), total: await COUNT(db, webhook) };
}

export const pageFilteredDeliveries = listInStretches(deliveries, OF_WEBHOOK, {
  status: 'AND status = :status',
  instance_id: 'AND instance_id = :instance_id',
});

const EXPIRE = query<{
  id: string;
}>()(`UPDATE webhook_deliveries SET status = 'CANCELLED', next_at = NULL, last_error = 'expired'
  ${OF_TENANT} AND id IN (SELECT id FROM webhook_deliveries
    ${OF_TENANT} AND id < :beforeId AND status = 'PENDING' ORDER BY id LIMIT :limit) RETURNING id`);
// Steps from webhook to webhook by the index, because there are few webhooks and very many deliveries.
const ORPHANED = query<{ webhook_id: string }>()(`WITH RECURSIVE known (webhook_id) AS (
    SELECT min(webhook_id) FROM webhook_deliveries ${OF_TENANT}
    UNION ALL
    SELECT (SELECT min(d.webhook_id) FROM webhook_deliveries d
      WHERE d.tenant_id = :tenant_id AND d.webhook_id > known.webhook_id) FROM known WHERE known.webhook_id IS NOT NULL)
  SELECT webhook_id FROM known WHERE webhook_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM webhooks w WHERE w.tenant_id = :tenant_id AND w.id = known.webhook_id) LIMIT 1`);
const REMOVE_OF = statement(`DELETE FROM webhook_deliveries ${OF_TENANT} AND id IN (
    SELECT id FROM webhook_deliveries ${OF_TENANT} AND webhook_id = :webhook_id ORDER BY id LIMIT :limit)`);

/** Gives up deliveries that have waited for too long. Ids are in the order of time: an older delivery has a smaller id. */
export async function expireDeliveries(tx: TenantTx, beforeId: string, limit: number): Promise<number> {
  const expired = await EXPIRE.all(tx, { beforeId, limit });
  await removeFromQueue(tx, { ids: expired.map(({ id }) => id) });
  return expired.length;
}

// Finds a webhook over its limit by the index of the queue, and its oldest deliveries.
const CROWDED = query<{
  webhook_id: string;
  waiting: number;
}>()(`SELECT webhook_id, count(*) AS waiting FROM webhook_queue WHERE owner_tenant_id = :tenant_id
  GROUP BY webhook_id HAVING count(*) > :maxWaiting LIMIT 1`);
const OLDEST = query<{ id: string }>()(
  `SELECT id FROM webhook_queue WHERE owner_tenant_id = :tenant_id AND webhook_id = :webhook_id
  ORDER BY id LIMIT :limit`,
);
const GIVE_UP = statement(`UPDATE webhook_deliveries SET status = 'CANCELLED', next_at = NULL,
  last_error = 'too_many_waiting' ${OF_TENANT} AND id ${inList(':ids')}`);

/** Drops the oldest deliveries: a receiver that comes back needs the newest most, and the log still shows the others. */
export async function giveUpOverflow(tx: TenantTx, maxWaiting: number, limit: number): Promise<number> {
  const crowded = await CROWDED.get(tx, { maxWaiting });
  if (!crowded) return 0;
  const tooMany = Math.min(limit, Number(crowded.waiting) - maxWaiting);
  const oldest = await OLDEST.all(tx, { webhook_id: crowded.webhook_id, limit: tooMany });
  const ids = oldest.map(({ id }) => id);
  await GIVE_UP.run(tx, { ids });
  await removeFromQueue(tx, { ids });
  return ids.length;
}

export const removeEndedDeliveries = statement(`DELETE FROM webhook_deliveries ${OF_TENANT} AND id IN (
    SELECT id FROM webhook_deliveries ${OF_TENANT} AND id < :beforeId AND status <> 'PENDING' ORDER BY id LIMIT :limit)`).run;

/** Removes the deliveries of a deleted webhook. */
export async function removeOrphanedDeliveries(tx: TenantTx, limit: number): Promise<number> {
  const orphaned = await ORPHANED.get(tx, {});
  return orphaned ? REMOVE_OF.run(tx, { webhook_id: orphaned.webhook_id, limit }) : 0;
}
