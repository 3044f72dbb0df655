import type { TenantReads, TenantTx } from '../db/db.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Environment } from '../kernel/environment.ts';
import { newId } from '../kernel/ids.ts';
import type { InstanceEvent } from '../kernel/instance-event.ts';
import { addDelivery, type NewDelivery } from './deliveries.repository.ts';
import type { EventHub } from './event-stream.ts';
import { subscribes } from './webhook-rules.ts';
import { activeWebhooks, findWebhookNamed, type Subscriber } from './webhooks.repository.ts';

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

/** What happened in an identity store. It holds no personal data. */
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
 * Begins to read who subscribes, for a transaction that will tell something. If it is called when the transaction begins,
 * PostgreSQL reads it in the round trip of the first statement.
 */
export type ExpectEvents = (tx: TenantTx) => void;

export type Notifier = {
  notify: Notify;
  notifyStep: NotifyStep;
  notifyTenant: NotifyTenant;
  notifyIdentity: NotifyIdentity;
  expect: ExpectEvents;
};

/** `noted`: a delivery was written. `hub`: who watches events while they happen. */
export function notifier(ring: () => void, rememberTrace: (id: string) => void, hub: EventHub): Notifier {
  /** Adds a delivery for each active webhook that subscribes. Mostly there is none: then this one read is all. */
  const tell = async (
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
    notify: (tx, event) => tell(tx, event, () => deliveryOfInstance(tx, event)),
    notifyTenant: (tx, event) =>
      tell(tx, event, () => {
        const { environment, data, at } = event;
        return deliveryOf(event.type, at, { tenantId: tx.tenantId, environment, ...data });
      }),
    notifyIdentity: (tx, event) =>
      tell(tx, event, () => {
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

/** Read once in a transaction, however much it tells. */
const active = new WeakMap<TenantTx, Promise<Subscriber[]>>();

function activeIn(tx: TenantTx): Promise<Subscriber[]> {
  const subscribers = active.get(tx) ?? activeWebhooks(tx);
  active.set(tx, subscribers);
  return subscribers;
}

/** A delivery of what concerns no instance. */
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
