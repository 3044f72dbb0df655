import type { TenantTx } from './db/db.ts';
import type { ErasureLog } from './erasure-log/erasure-log.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Feature } from './kernel/feature.ts';
import type { InstanceEvent } from './kernel/instance-event.ts';

type Listener = NonNullable<Feature['onInstanceEvent']>;
type InstanceEvents = { publish(tx: TenantTx, event: InstanceEvent): Promise<void>; listen(listener: Listener): void };

/** The events of instances on their way from the engine to the features that listen, in the order of the list. */
export function openInstanceEvents(): InstanceEvents {
  const listeners: Listener[] = [];
  return {
    async publish(tx, event) {
      for (const listener of listeners) await listener(tx, event);
    },
    listen: (listener) => void listeners.push(listener),
  };
}

type HandlersOf<F> = F extends readonly [infer First, ...infer Rest]
  ? (First extends { handlers: infer Own } ? Own : object) & HandlersOf<Rest>
  : object;

type Ties = { jobs: Pick<Jobs, 'register'>; erasureLog: Pick<ErasureLog, 'register'>; events: InstanceEvents };

/** Ties in what the features declare, and starts and stops them together. */
export function tieFeatures<const F extends readonly Feature[]>({ jobs, erasureLog, events }: Ties, features: F) {
  for (const { jobs: kinds = [], erasables = [], onInstanceEvent } of features) {
    for (const kind of kinds) jobs.register(kind);
    for (const erasable of erasables) erasureLog.register(erasable);
    if (onInstanceEvent) events.listen(onInstanceEvent);
  }
  return {
    handlers: Object.assign({}, ...features.map(({ handlers }) => handlers)) as HandlersOf<F>,
    async prepare(options: { force: boolean }) {
      for (const feature of features) await feature.prepare?.(options);
    },
    start({ isWorker }: { isWorker: boolean }) {
      for (const feature of features) {
        feature.start?.();
        if (isWorker) feature.startWork?.();
      }
    },
    stop: () => Promise.all(features.map((feature) => feature.stop?.())),
    close: () => Promise.all(features.map((feature) => feature.close?.())),
  };
}
