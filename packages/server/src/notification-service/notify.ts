import type { TenantReads, TenantTx } from '../db/db.ts';
import { toDtm } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { InstanceEvent } from '../kernel/instance-event.ts';
import { addDelivery } from './deliveries.repository.ts';
import { subscribes } from './webhook-rules.ts';
import { activeWebhooks, findWebhookNamed } from './webhooks.repository.ts';

/** As it is stored and, without a template, sent. */
export type Payload = { type: string; timestamp: string; data: Readonly<Record<string, unknown>> };

/**
 * In the transaction of what happened: one delivery for each active webhook that wants to know. It is told exactly if
 * the event is there, and soon after the commit.
 */
export type Notify = (tx: TenantTx, event: InstanceEvent) => Promise<void>;

/** For a step that names its webhook, whether or not it subscribes. False if there is no active one of that name. */
export type NotifyStep = (tx: TenantTx, webhookName: string, event: InstanceEvent) => Promise<boolean>;

/** What concerns the tenant and no instance. */
export type TenantEvent = {
  readonly type: string;
  readonly environment: 'live' | 'test';
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
};
export type NotifyTenant = (tx: TenantTx, event: TenantEvent) => Promise<void>;

/** `noted`: a delivery was written. */
export function notifier(
  ring: () => void,
  noted: (id: string) => void = () => undefined,
): { notify: Notify; notifyStep: NotifyStep; notifyTenant: NotifyTenant } {
  return {
    async notifyTenant(tx, { type, environment, at, data }) {
      const active = await activeWebhooks(tx, environment);
      const payload = JSON.stringify({
        type,
        timestamp: toDtm(at),
        data: { tenantId: tx.tenantId, environment, ...data },
      });
      const common = { event: type, instance_id: null, sequence: null, payload, created_at: at };
      for (const { id, events } of active) {
        if (subscribes(events, type)) await addDelivery(tx, { ...common, id: newId(at), webhook_id: id });
      }
      tx.afterCommit(ring);
    },
    async notify(tx, event) {
      // Most instances are nobody's business: then this one look is all.
      const active = await activeWebhooks(tx, event.environment);
      const subscribers = active.filter(({ events }) => subscribes(events, event.type));
      if (subscribers.length === 0) return;
      const payload = JSON.stringify(payloadOf(tx, event));
      for (const { id } of subscribers) {
        const delivery = newDelivery(id, event, payload);
        await addDelivery(tx, delivery);
        noted(delivery.id);
      }
      tx.afterCommit(ring);
    },
    async notifyStep(tx, webhookName, event) {
      const webhook = await findWebhookNamed(tx, event.environment, webhookName);
      if (webhook?.status !== 'ACTIVE') return false;
      await addDelivery(tx, newDelivery(webhook.id, event, JSON.stringify(payloadOf(tx, event))));
      tx.afterCommit(ring);
      return true;
    },
  };
}

function newDelivery(webhookId: string, { type, instanceId, sequence, at }: InstanceEvent, payload: string) {
  return {
    ...{ id: newId(at), webhook_id: webhookId, event: type, instance_id: instanceId },
    ...{ sequence, payload, created_at: at },
  };
}

function payloadOf({ tenantId }: TenantReads, event: InstanceEvent): Payload {
  return {
    type: event.type,
    timestamp: toDtm(event.at),
    data: {
      tenantId,
      environment: event.environment,
      processInstanceId: event.instanceId,
      sequence: event.sequence,
      status: event.status,
      ...(event.step !== undefined && { step: event.step }),
      processDefnId: event.processDefnId,
      processDefnName: event.processDefnName,
      processDefnVersion: event.processDefnVersion,
      ...(event.data !== undefined && { details: event.data }),
    },
  };
}
