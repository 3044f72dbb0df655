import type { TenantReads, TenantTx } from '../db/db.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Environment } from '../kernel/environment.ts';
import { newId } from '../kernel/ids.ts';
import type { InstanceEvent } from '../kernel/instance-event.ts';
import { addDelivery, type NewDelivery } from './deliveries.repository.ts';
import type { EventHub } from './event-stream.ts';
import { subscribes } from './webhook-rules.ts';
import { activeWebhooks, findWebhookNamed, type Subscriber } from './webhooks.repository.ts';

/** The stored event, which is also the body of a webhook without a template. */
export type Payload = { type: string; timestamp: string; data: Readonly<Record<string, unknown>> };

/**
 * Adds a delivery for each active webhook that subscribes, in the transaction of the event, so that both are stored or
 * neither. It is sent soon after the commit.
 */
export type Notify = (tx: TenantTx, event: InstanceEvent) => Promise<void>;

/** Adds a delivery for the webhook that a step names, subscribed or not. Resolves to false if none of that name is active. */
export type NotifyStep = (tx: TenantTx, webhookName: string, event: InstanceEvent) => Promise<boolean>;

/** An event of the tenant without an instance. */
export type TenantEvent = {
  readonly type: string;
  readonly environment: 'live' | 'test';
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
};
export type NotifyTenant = (tx: TenantTx, event: TenantEvent) => Promise<void>;

/** An event of an identity store. It holds no personal data. */
export type IdentityEvent = {
  readonly environment: Environment;
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly storeName: string;
  readonly userId?: string | undefined;
  readonly modality?: string | undefined;
  readonly code?: number | undefined;
  readonly rpId?: string | undefined;
  readonly process?: Readonly<Record<string, unknown>> | undefined;
};
export type NotifyIdentity = (tx: TenantTx, event: IdentityEvent) => Promise<void>;

/**
 * Begins to read the subscribers for a transaction that will have an event. If it is called at the start of the transaction,
 * PostgreSQL reads them in the round trip of the first statement.
 */
export type ExpectEvents = (tx: TenantTx) => void;

export type Notifier = {
  notify: Notify;
  notifyStep: NotifyStep;
  notifyTenant: NotifyTenant;
  notifyIdentity: NotifyIdentity;
  expect: ExpectEvents;
};

/** `rememberTrace` is called for each new delivery. `hub` has the callers that watch events. */
export function notifier(ring: () => void, rememberTrace: (id: string) => void, hub: EventHub): Notifier {
  /** Adds a delivery for each active webhook that subscribes. Usually there is none, which costs only this read. */
  const addDeliveries = async (
    tx: TenantTx,
    { environment, type }: { environment: Environment; type: string },
    deliveryOf: () => Omit<NewDelivery, 'id' | 'webhook_id'>,
  ) => {
    const active = await activeIn(tx);
    const subscribers = active.filter((each) => each.environment === environment && subscribes(each.events, type));
    const watched = hub.watched(tx.tenantId, environment);
    if (subscribers.length === 0 && !watched) return;
    const delivery = deliveryOf();
    if (watched) {
      const event = { id: newId(delivery.created_at), ...(JSON.parse(delivery.payload) as Payload) };
      tx.afterCommit(() => hub.publish(tx.tenantId, environment, event));
    }
    for (const { id } of subscribers) {
      const deliveryId = newId(delivery.created_at);
      await addDelivery(tx, { ...delivery, id: deliveryId, webhook_id: id });
      rememberTrace(deliveryId);
    }
    if (subscribers.length > 0) tx.afterCommit(ring);
  };
  return {
    expect: (tx) => void activeIn(tx).catch(() => undefined),
    notify: (tx, event) => addDeliveries(tx, event, () => deliveryOfInstance(tx, event)),
    notifyTenant: (tx, event) =>
      addDeliveries(tx, event, () => {
        const { environment, data, at } = event;
        return deliveryOf(event.type, at, { tenantId: tx.tenantId, environment, ...data });
      }),
    notifyIdentity: (tx, event) =>
      addDeliveries(tx, event, () => {
        const { type, at, id, process, ...fields } = event;
        return deliveryOf(type, at, { tenantId: tx.tenantId, eventId: id, ...fields, ...process });
      }),
    async notifyStep(tx, webhookName, event) {
      const webhook = await findWebhookNamed(tx, { environment: event.environment, name: webhookName });
      if (webhook?.status !== 'ACTIVE') return false;
      await addDelivery(tx, { ...deliveryOfInstance(tx, event), id: newId(event.at), webhook_id: webhook.id });
      tx.afterCommit(ring);
      return true;
    },
  };
}

/** The active webhooks, which are read once in a transaction, whatever the number of its events. */
const active = new WeakMap<TenantTx, Promise<Subscriber[]>>();

function activeIn(tx: TenantTx): Promise<Subscriber[]> {
  const subscribers = active.get(tx) ?? activeWebhooks(tx);
  active.set(tx, subscribers);
  return subscribers;
}

/** A delivery of an event without an instance. */
function deliveryOf(type: string, at: number, data: Payload['data']) {
  const payload = JSON.stringify({ type, timestamp: toDtm(at), data } satisfies Payload);
  return { event: type, instance_id: null, sequence: null, payload, created_at: at };
}

function deliveryOfInstance(tx: TenantTx, event: InstanceEvent) {
  const { type, instanceId, sequence, at } = event;
  return {
    event: type,
    instance_id: instanceId,
    sequence,
    payload: JSON.stringify(payloadOf(tx, event)),
    created_at: at,
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
