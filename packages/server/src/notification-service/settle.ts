import { recordChange } from '../audit/audit.ts';
import type { TenantTx } from '../db/db.ts';
import type { Finished } from '../leases/worker.ts';
import { settleDelivery } from './deliveries.repository.ts';
import {
  closeEndpoint,
  DELIVERY_LEASES,
  noteFailures,
  noteSuccess,
  type QueueItem,
  removeFromQueue,
  resetEndpoint,
  retryAt,
} from './queue.repository.ts';
import { closedForMs, nextAttemptAt } from './retry-rules.ts';
import type { AttemptResult, Outcome } from './send-delivery.ts';
import { disableWebhook, findWebhookById } from './webhooks.repository.ts';
import type { WebhookRow } from './webhooks.table.ts';

const GONE_STATUS = 410;
const BY = 'Grove';

/**
 * Writes the results of deliveries of one tenant in the transaction of the caller. A failure of a delivery that another server
 * has leased meanwhile is ignored, because that server is responsible for it now; a success always counts.
 */
export async function settle(
  tx: TenantTx,
  batch: readonly Finished<QueueItem, Outcome>[],
  { now, random }: { now: number; random(): number },
): Promise<void> {
  const stopped: QueueItem[] = [];
  const endedIds: string[] = [];
  for (const { item, result } of batch) {
    if (result.kind === 'dropped') endedIds.push(item.id);
    else if (result.kind !== 'attempted') stopped.push(item);
    else if (isDelivered(result)) {
      await settleDelivery(tx, { id: item.id, ...result }, { status: 'DELIVERED', nextAt: null });
      endedIds.push(item.id);
    } else await settleFailure(tx, item, result, { now, random });
  }
  if (stopped.length > 0) await DELIVERY_LEASES.giveBack(tx, stopped);
  // Removed even if another server holds the lease by now, because a delivered event must not be sent again.
  if (endedIds.length > 0) await removeFromQueue(tx, { ids: endedIds });
  const byEndpoint = Map.groupBy(batch, ({ item }) => item.webhookId);
  // One order for all servers: otherwise two that settle for one tenant could deadlock.
  for (const webhookId of [...byEndpoint.keys()].sort()) {
    const outcomes = (byEndpoint.get(webhookId) ?? []).map(({ result }) => result);
    await noteEndpoint(tx, webhookId, outcomes, now);
  }
}

function isDelivered({ status }: AttemptResult): boolean {
  return status !== null && status >= 200 && status < 300;
}

async function settleFailure(
  tx: TenantTx,
  claimed: QueueItem,
  attempt: AttemptResult,
  { now, random }: { now: number; random(): number },
): Promise<void> {
  const { intervals, retryAfter, status } = attempt;
  const { id, tried: attemptsBefore } = claimed;
  const nextAt =
    status === GONE_STATUS ? undefined : nextAttemptAt({ intervals, attemptsBefore, retryAfter, now, random });
  if (nextAt === undefined) {
    if ((await DELIVERY_LEASES.remove(tx, [claimed])).size === 1)
      await settleDelivery(tx, { id, ...attempt }, { status: 'FAILED', nextAt: null });
  } else if (await retryAt(tx, { ...claimed, at: nextAt })) {
    await settleDelivery(tx, { id, ...attempt }, { status: 'PENDING', nextAt });
  }
}

/** The circuit breaker: an endpoint that fails repeatedly gets no requests for a while, longer each time. */
async function noteEndpoint(tx: TenantTx, webhookId: string, outcomes: readonly Outcome[], now: number): Promise<void> {
  const attempts = outcomes.filter((outcome) => outcome.kind === 'attempted').filter(({ local }) => !local);
  if (attempts.some(({ status }) => status === GONE_STATUS)) {
    const isChange = await disableWebhook(tx, { id: webhookId, reason: 'gone', now, by: BY });
    const webhook = isChange ? await findWebhookById(tx, { id: webhookId }) : undefined;
    if (webhook) await recordDisabled(tx, webhook, now);
    await resetEndpoint(tx, webhookId, false);
  } else if (attempts.some(isDelivered)) {
    await noteSuccess(tx, { webhook_id: webhookId });
  } else if (attempts.length > 0) {
    const failures = await noteFailures(tx, webhookId, attempts.length, now);
    const closedMs = closedForMs(failures ?? 0);
    if (closedMs > 0) await closeEndpoint(tx, { webhook_id: webhookId, closed_until: now + closedMs });
  }
}

/** A change of the configuration that no caller made. */
function recordDisabled(tx: TenantTx, { id, name, environment }: WebhookRow, at: number): Promise<void> {
  const details = { id, name, fields: ['status'], values: { status: 'DISABLED', disabledReason: 'gone' } };
  return recordChange(tx, { action: 'webhook.updated', environment, actor: BY, at, item: id, details });
}
