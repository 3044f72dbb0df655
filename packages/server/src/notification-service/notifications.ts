import type { Outbound } from '../engines/outbound/outbound.ts';
import type { JobDefinition } from '../jobs/define-job.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { Platform } from '../kernel/feature.ts';
import type { MayStillCall } from '../kernel/still-allowed.ts';
import type { Vault } from '../secrets/vault.ts';
import { type DispatcherDeps, openDispatcher } from './dispatch.ts';
import { eventStreamHandlers, openEventHub } from './event-stream.ts';
import { type Notifier, notifier } from './notify.ts';
import { purgeDeliveriesJob } from './purge-deliveries.ts';
import { isWebhookName } from './webhooks.repository.ts';
import { type WebhooksDeps, webhookHandlers } from './webhooks.ts';

/** Webhooks as a feature: the handlers, the notifier and the dispatcher. */
export type Notifications = Notifier & {
  handlers: { webhooks: ReturnType<typeof webhookHandlers>; eventStream: ReturnType<typeof eventStreamHandlers> };
  isWebhookName: typeof isWebhookName;
  startWork(): void;
  stop(): Promise<void>;
  /** Sends due deliveries until none is left, also in a process that has not started the dispatcher. */
  deliverDue(): Promise<number>;
  extendLeases(): Promise<void>;
  jobs: readonly JobDefinition<object>[];
  onInstanceEvent: Notifier['notify'];
};

export type NotificationsDeps = Omit<DispatcherDeps, 'vault' | 'outbound'> &
  Pick<Platform, 'db' | 'everyTenantId'> & {
    vault: Pick<Vault, 'sealFor' | 'openFor'>;
    outbound: Outbound;
    /** Whether an admitted caller may still call. */
    mayStillCall?: MayStillCall;
    secretHostFault: WebhooksDeps['secretHostFault'];
  };

/** The number of deliveries whose trace this server caches. */
const MAX_TRACES = 10_000;

export function openNotifications(deps: NotificationsDeps): Notifications {
  const { db, vault, outbound, tracing } = deps;
  const traces = tracing && boundedMap<string, string>(MAX_TRACES);
  const dispatcher = openDispatcher({ ...deps, traceOf: (id) => traces?.get(id) });
  const rememberTrace = (id: string) => {
    const trace = tracing?.traceparent();
    if (trace !== undefined) traces?.set(id, trace);
  };
  const { ring, runDue } = dispatcher;
  const hub = openEventHub();
  const notifications = notifier(ring, rememberTrace, hub);
  return {
    handlers: {
      webhooks: webhookHandlers({ vault, outbound, ring, secretHostFault: deps.secretHostFault }),
      eventStream: eventStreamHandlers(hub, deps.mayStillCall),
    },
    ...notifications,
    onInstanceEvent: notifications.notify,
    isWebhookName,
    startWork: dispatcher.start,
    deliverDue: runDue,
    extendLeases: dispatcher.extendLeases,
    async stop() {
      hub.stop();
      await dispatcher.stop();
      outbound.close();
    },
    jobs: [purgeDeliveriesJob(db, deps.everyTenantId)],
  };
}
