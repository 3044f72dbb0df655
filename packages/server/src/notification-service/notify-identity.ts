import type { TenantTx } from '../db/db.ts';
import { toDtm } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { addDelivery } from './deliveries.repository.ts';
import type { Payload } from './notify.ts';
import { subscribes } from './webhook-rules.ts';
import { activeWebhooks, type Environment } from './webhooks.repository.ts';

/** What happened in an identity store. Nothing of a person is in it. */
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

/** In the transaction of what happened: one delivery for each active webhook that wants to know. */
export type NotifyIdentity = (tx: TenantTx, event: IdentityEvent) => Promise<void>;

export function identityNotifier(ring: () => void): NotifyIdentity {
  return async (tx, event) => {
    const active = await activeWebhooks(tx, event.environment);
    const subscribers = active.filter(({ events }) => subscribes(events, event.type));
    if (subscribers.length === 0) return;
    const payload = JSON.stringify(payloadOf(tx.tenantId, event));
    for (const { id } of subscribers) {
      await addDelivery(tx, {
        ...{ id: newId(event.at), webhook_id: id, event: event.type, instance_id: null, sequence: null, payload },
        created_at: event.at,
      });
    }
    tx.afterCommit(ring);
  };
}

function payloadOf(tenantId: string, { type, at, id, process, ...event }: IdentityEvent): Payload {
  return { type, timestamp: toDtm(at), data: { tenantId, eventId: id, ...event, ...process } };
}
