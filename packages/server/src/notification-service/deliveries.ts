import type { api } from '@grove/contract';
import type { TenantDb, TenantReads } from '../db/db.ts';
import { fromDtm, toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Handlers } from '../kernel/implement.ts';
import { mapInSlices } from '../kernel/in-slices.ts';
import { paging, toPage } from '../kernel/pages.ts';
import { lineOf } from '../kernel/take-turns.ts';
import {
  addDelivery,
  type DeliveryRow,
  findDelivery,
  findDeliveryForUpdate,
  pageDeliveries,
  pageFilteredDeliveries,
  replayDelivery,
  replayFailed,
  SORTABLE,
} from './deliveries.repository.ts';
import type { Payload } from './notify.ts';
import { toDelivery } from './webhook-rules.ts';
import { findWebhook } from './webhooks.repository.ts';
import type { WebhookRow } from './webhooks.table.ts';

/** The log of deliveries: reads it, sends deliveries again, and sends test deliveries. */

export const MAX_RECOVERED = 10_000;
export const TEST_EVENT = 'webhook.test';

type DeliveryOperation = 'test' | 'listDeliveries' | 'getDelivery' | 'replay' | 'recover';

export function deliveryHandlers({ ring }: { ring(): void }): Pick<Handlers<typeof api.webhooks>, DeliveryOperation> {
  return {
    async test(context, { params }) {
      const { db, now } = context;
      const webhook = await getWebhook(db, context, params.webhookId);
      const id = newId(now);
      await db.write(async (tx) => {
        const payload = JSON.stringify(testPayload(context, webhook));
        const nothing = { instance_id: null, sequence: null };
        await addDelivery(tx, { id, webhook_id: webhook.id, event: TEST_EVENT, ...nothing, payload, created_at: now });
        tx.afterCommit(ring);
      });
      return toDelivery(await getDelivery(db, id));
    },

    async listDeliveries(context, { params, query }) {
      const { db, principal } = context;
      const { id } = await getWebhook(db, context, params.webhookId);
      const pageRequest = paging(query, SORTABLE);
      const page = pageRequest.sorts > 0 ? pageRequest : { ...pageRequest, orderBy: 'id DESC' };
      const filter = { webhook_id: id, status: query.status, instance_id: query.processInstanceId || undefined };
      const { rows, total } =
        filter.status || filter.instance_id
          ? await pageFilteredDeliveries(db, lineOf(db.tenantId, principal.environment), filter, page)
          : await pageDeliveries(db, { webhook_id: id }, page);
      return toPage(await mapInSlices(db, rows, toDelivery), total, page, rows.at(-1)?.id);
    },

    async getDelivery(context, { params }) {
      const { db } = context;
      const { id } = await getWebhook(db, context, params.webhookId);
      const row = await getDelivery(db, params.deliveryId);
      if (row.webhook_id !== id) throw new ApiError(100072);
      return {
        ...toDelivery(row),
        payload: { id: row.id, ...(JSON.parse(row.payload) as object) },
        ...(row.last_answer !== null && { answer: row.last_answer }),
      };
    },

    async replay(context, { params }) {
      const { db, now } = context;
      const { id: webhookId } = await getWebhook(db, context, params.webhookId);
      await db.write(async (tx) => {
        const row = await findDeliveryForUpdate(tx, { id: params.deliveryId, webhook_id: webhookId });
        if (!row) throw new ApiError(100072);
        await replayDelivery(tx, row, now);
        tx.afterCommit(ring);
      });
      return toDelivery(await getDelivery(db, params.deliveryId));
    },

    async recover(context, { params, body }) {
      const { db, now } = context;
      const { id: webhookId } = await getWebhook(db, context, params.webhookId);
      const since = fromDtm(body.sinceDtm);
      // A leap second is a valid date-time that Date cannot represent.
      if (Number.isNaN(since)) throw invalidInput({ pointer: '/sinceDtm', message: 'is not a valid date-time' });
      const deliveries = await db.write((tx) => {
        tx.afterCommit(ring);
        return replayFailed(tx, { webhookId, since, now, limit: MAX_RECOVERED });
      });
      return { deliveries };
    },
  };
}

async function getWebhook(db: TenantReads, { principal }: Context, id: string): Promise<WebhookRow> {
  const row = await findWebhook(db, { environment: principal.environment, id });
  if (!row) throw new ApiError(100070);
  return row;
}

async function getDelivery(db: TenantDb, id: string): Promise<DeliveryRow> {
  const row = await findDelivery(db, { id });
  if (!row) throw new ApiError(100072);
  return row;
}

function testPayload({ tenantId, now }: Context, { id, environment }: WebhookRow): Payload {
  return { type: TEST_EVENT, timestamp: toDtm(now), data: { tenantId, environment, webhookId: id } };
}
