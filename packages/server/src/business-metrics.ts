import { statfs } from 'node:fs/promises';
import type { Db, TenantTx } from './db/db.ts';
import type { Platform } from './kernel/feature.ts';
import type { TenantId } from './kernel/ids.ts';
import type { InstanceEvent } from './kernel/instance-event.ts';
import { type Labels, type Meters, openMeters, type Reading } from './kernel/meters.ts';
import { inSpan, type Tracing } from './kernel/tracing.ts';

/** Metrics of verifications, reviews, webhooks and calls of other services, for the operator of the servers. */
export type BusinessMetrics = {
  /** Called in the transaction of an event, which is counted after the commit. */
  event(tx: Pick<TenantTx, 'afterCommit'>, event: InstanceEvent): void;
  webhookAttempt(outcome: 'delivered' | 'failed' | 'dropped', milliseconds: number): void;
  /** Returns the object with the named calls timed and counted, and with a span for each call if traces are on. */
  measured<T extends object>(
    what: 'vision' | 'decoder' | 'blob' | 'mail',
    object: T,
    calls: readonly (keyof T & string)[],
  ): T;
  text(): Promise<string>;
};

export type BusinessMetricsDeps = Pick<Platform, 'db' | 'clock' | 'everyTenantId'> & {
  /** The number of waiting reviews of a tenant in each environment, and the time since which the oldest waits. */
  reviewsWaiting(tenantId: TenantId): Promise<{ environment: string; count: number; oldest: number }[]>;
  webhooksWaiting(): Promise<{ count: number; oldest: number | null }>;
  dataFolder: string;
  tracing?: Tracing | undefined;
  onError(error: unknown): void;
};

const EVENT_COUNTERS: Record<string, string> = {
  'instance.stepSeen': 'seen',
  'instance.stepCompleted': 'completed',
  'instance.stepRetried': 'retried',
  'instance.stepLeft': 'left',
};
const END_EVENTS = new Set(['instance.completed', 'instance.terminated']);
/** Reviews are counted at most this often, however many servers and dashboards scrape the metrics. */
const REVIEWS_EVERY_MS = 30_000;
const MAX_TENANTS = 1000;

export function openBusinessMetrics(deps: BusinessMetricsDeps): BusinessMetrics {
  const meters = openMeters(deps.onError);
  const starts = meters.counter('grove_verifications_started_total', 'Process instances that were created');
  const ends = meters.counter('grove_verifications_ended_total', 'Process instances that ended, by their status');
  const reviews = meters.counter('grove_reviews_total', 'Process instances that came to a human, and what he decided');
  const steps = meters.counter('grove_steps_total', 'Steps that people saw, completed, had to repeat and left');
  const attempts = meters.counter('grove_webhook_attempts_total', 'Requests to receivers of webhooks');
  const seconds = meters.histogram('grove_webhook_attempt_seconds', 'How long receivers of webhooks took');
  watchReviews(meters, deps);
  meters.gauge('grove_webhooks_waiting', 'Deliveries that wait for an attempt', async () => [
    { labels: {}, value: (await deps.webhooksWaiting()).count },
  ]);
  meters.gauge('grove_webhooks_oldest_age_seconds', 'How long the oldest of them has been due', async () => {
    const { oldest } = await deps.webhooksWaiting();
    return [{ labels: {}, value: oldest === null ? 0 : Math.max(0, deps.clock.now() - oldest) / 1000 }];
  });
  watchDisk(meters, deps.dataFolder);
  watchPools(meters, deps.db);

  const count = ({ type, environment, status, step, processDefnName: definition }: InstanceEvent) => {
    const common = { definition, environment };
    if (type === 'instance.created') starts(common);
    else if (END_EVENTS.has(type)) ends({ ...common, outcome: status });
    else if (type === 'instance.review') reviews({ ...common, what: 'waiting' });
    else if (type === 'instance.approved') reviews({ ...common, what: 'approved' });
    else if (type === 'instance.rejected') reviews({ ...common, what: 'rejected' });
    const what = EVENT_COUNTERS[type];
    if (what !== undefined) steps({ ...common, step: step ?? '', what });
  };
  const measure = callMeters(meters, deps.tracing);
  return {
    event: (tx, event) => tx.afterCommit(() => count(event)),
    webhookAttempt(outcome, milliseconds) {
      attempts({ outcome });
      if (outcome !== 'dropped') seconds({}, milliseconds / 1000);
    },
    measured: measure,
    text: meters.text,
  };
}

/** The number and the age of waiting reviews are read from the database, once for many scrapes. */
function watchReviews(meters: Meters, deps: BusinessMetricsDeps): void {
  let cache: { at: number; waiting: Promise<Map<string, { count: number; oldest: number }>> } | undefined;
  const waiting = () => {
    const now = deps.clock.now();
    if (!cache || now - cache.at >= REVIEWS_EVERY_MS) cache = { at: now, waiting: sumReviews(deps) };
    return cache.waiting;
  };
  const readings = async (value: (each: { count: number; oldest: number }) => number): Promise<Reading[]> =>
    [...(await waiting())].map(([environment, each]) => ({ labels: { environment }, value: value(each) }));
  meters.gauge('grove_reviews_waiting', 'Process instances that wait for a human', () =>
    readings(({ count }) => count),
  );
  meters.gauge('grove_reviews_oldest_age_seconds', 'How long the oldest of them has waited', () =>
    readings(({ oldest }) => Math.max(0, deps.clock.now() - oldest) / 1000),
  );
}

async function sumReviews({ everyTenantId, reviewsWaiting }: BusinessMetricsDeps) {
  const sums = new Map<string, { count: number; oldest: number }>();
  let tenants = 0;
  for await (const tenantId of everyTenantId()) {
    if (++tenants > MAX_TENANTS) break;
    for (const { environment, count, oldest } of await reviewsWaiting(tenantId)) {
      const sum = sums.get(environment) ?? { count: 0, oldest };
      sums.set(environment, { count: sum.count + count, oldest: Math.min(sum.oldest, oldest) });
    }
  }
  return sums;
}

/** A full disk stops every write of every tenant, and live callers may fill it. */
function watchDisk(meters: Meters, dataFolder: string): void {
  const readings = async (value: (disk: { bavail: number; blocks: number }) => number) => {
    const disk = await statfs(dataFolder);
    return [{ labels: {}, value: value(disk) * disk.bsize }];
  };
  meters.gauge('grove_disk_free_bytes', 'Free space on the disk of the data folder', () =>
    readings((disk) => disk.bavail),
  );
  meters.gauge('grove_disk_bytes', 'Size of the disk of the data folder', () => readings((disk) => disk.blocks));
}

function watchPools(meters: Meters, { pools }: Db): void {
  if (!pools) return;
  meters.gauge('grove_database_connections', 'Connections to PostgreSQL, and who waits for one', () =>
    Object.entries(pools()).flatMap(([pool, { total, idle, waiting }]) => [
      { labels: { pool, state: 'used' }, value: total - idle },
      { labels: { pool, state: 'idle' }, value: idle },
      { labels: { pool, state: 'waiting' }, value: waiting },
    ]),
  );
  meters.gauge('grove_database_round_trips', 'How often this process has waited for an answer of PostgreSQL', () =>
    Object.entries(pools()).map(([pool, { roundTrips }]) => ({ labels: { pool }, value: roundTrips })),
  );
}

type Call = (...input: never[]) => unknown;

function callMeters(meters: Meters, tracing: Tracing | undefined): BusinessMetrics['measured'] {
  return (what, object, calls) => {
    const seconds = meters.histogram(`grove_${what}_seconds`, `How long calls of the ${what} took, by their outcome`);
    const inFlight = new Map<string, number>();
    meters.gauge(`grove_${what}_in_flight`, `Calls of the ${what} that are under way or wait`, () =>
      [...inFlight].map(([operation, value]) => ({ labels: { operation } as Labels, value })),
    );
    const wrapped: Record<string, Call> = {};
    for (const operation of calls) {
      const call = object[operation] as Call;
      inFlight.set(operation, 0);
      wrapped[operation] = async (...input: never[]) => {
        const began = performance.now();
        inFlight.set(operation, (inFlight.get(operation) ?? 0) + 1);
        let outcome = 'error';
        try {
          const result = await inSpan(tracing, `${what}.${operation}`, {}, async () => call.apply(object, input));
          outcome = outcomeOf(result);
          return result;
        } finally {
          inFlight.set(operation, (inFlight.get(operation) ?? 1) - 1);
          seconds({ operation, outcome }, (performance.now() - began) / 1000);
        }
      };
    }
    return { ...object, ...wrapped };
  };
}

/** Calls that send messages never throw: their result is the outcome. */
function outcomeOf(result: unknown): string {
  const kind = (result as { kind?: unknown } | undefined)?.kind;
  return typeof kind === 'string' && /^[A-Z_]{1,20}$/.test(kind) ? kind.toLowerCase() : 'ok';
}
