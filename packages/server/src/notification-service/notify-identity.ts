import type { Plan, TenantReads } from '../db/db.ts';
import { toDtm } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { deliveryChanges } from './deliveries.repository.ts';
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

/** For the transaction of what happened: one delivery for each active webhook that wants to know. */
export type NoticesOf = (db: TenantReads, event: IdentityEvent) => Promise<Plan>;

const NO_NOTICES: Plan = { changes: [] };

export function identityNotices(ring: () => void): NoticesOf {
  return async (db, event) => {
    const active = await activeWebhooks(db, event.environment);
    const subscribers = active.filter(({ events }) => subscribes(events, event.type));
    if (subscribers.length === 0) return NO_NOTICES;
    const payload = JSON.stringify(payloadOf(db.tenantId, event));
    const changes = subscribers.flatMap(({ id }) =>
      deliveryChanges(db, {
        ...{ id: newId(event.at), webhook_id: id, event: event.type, instance_id: null, sequence: null, payload },
        created_at: event.at,
      }),
    );
    return { changes, afterCommit: ring };
  };
}

function payloadOf(tenantId: string, { type, at, id, process, ...event }: IdentityEvent): Payload {
  return { type, timestamp: toDtm(at), data: { tenantId, eventId: id, ...event, ...process } };
}
