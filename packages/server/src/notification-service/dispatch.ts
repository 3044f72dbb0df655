import { type Db, DbError } from '../db/db.ts';
import { type Clock, MINUTE, SECOND } from '../kernel/clock.ts';
import { fewPerTurn } from '../kernel/few-per-turn.ts';
import { asTenantId } from '../kernel/ids.ts';
import { inSpan } from '../kernel/tracing.ts';
import type { Lease } from '../leases/lease-table.ts';
import type { QueueLog } from '../leases/log.ts';
import type { QueueOptions } from '../leases/worker.ts';
import { type Items, openWorker, type QueuePolicy, type Worker } from '../leases/worker.ts';
import {
  bringDeliveriesForward,
  claimFromLane,
  DELIVERY_LEASES,
  dueLanes,
  type Lane,
  placesOf,
  prepareClaim,
  type QueueItem,
} from './queue.repository.ts';
import { DEFAULT_RETRY_INTERVALS_MS } from './retry-rules.ts';
import { deliverySender, type Outcome, type SendDeps } from './send-delivery.ts';
import { settle } from './settle.ts';

export type DispatcherDeps = SendDeps &
  QueueOptions & {
    /** The limit of concurrent requests to one endpoint, by all servers together. */
    perEndpoint?: number | undefined;
    /** Called after each attempt, for the metrics. */
    onAttempt?(outcome: 'delivered' | 'failed' | 'dropped', milliseconds: number): void;
    /** The trace of a delivery, if this server still knows it. */
    traceOf?(deliveryId: string): string | undefined;
  };

export const MAX_IN_FLIGHT = 256;
const PER_ENDPOINT = 4;
/** The endpoints of one tenant can never take every place. */
export const MAX_IN_FLIGHT_PER_TENANT = 192;
/** To prepare and begin a request takes about half a millisecond. */
export const BEGUN_PER_TURN = 4;
const MAX_LANES = 512;
const MAX_LANES_PER_CLAIM = 64;
/**
 * The deliveries of a dead server are sent by another one after this time and at most a second of its poll. The clocks of
 * servers may differ by half of it; otherwise a delivery is sent twice, under the same id.
 */
export const LEASE_MS = 4 * SECOND;
const LEASE_OF_SINGLE_SERVER_MS = MINUTE;

/**
 * Sends due deliveries. It claims a few deliveries of each endpoint in turn, and never more than the endpoint's limit, so
 * that a receiver that hangs occupies only its own places. Each delivery is leased: if a server dies, another one sends it
 * again under the same id.
 */
export function openDispatcher(deps: DispatcherDeps): Worker {
  const { db, clock, log, random = Math.random, perEndpoint = PER_ENDPOINT } = deps;
  const send = deliverySender(deps);
  const mayBegin = fewPerTurn(BEGUN_PER_TURN);
  /** The endpoint that was served last. */
  let after = '';
  const leaseMs = deps.leaseMs ?? (db.isSingleServer ? LEASE_OF_SINGLE_SERVER_MS : LEASE_MS);
  const policy: QueuePolicy<QueueItem, Outcome> = {
    noun: 'webhook deliveries',
    table: DELIVERY_LEASES,
    concurrency: MAX_IN_FLIGHT,
    leaseMs,
    bringForward: (tx, now) => bringDeliveriesForward(tx, now, leaseMs),
    async claim(items, now, underLease) {
      if (items.size >= MAX_IN_FLIGHT) return { items: [], mayBeMore: true };
      const underWay = countByReceiver(items);
      const due = await lanesFrom(db, now, after);
      // A receiver that hangs has reached its limit and must not fill the claim.
      const suspended = due.length > 0 ? await deps.suspended?.() : undefined;
      const open = due.filter((lane) => !suspended?.has(lane.owner_tenant_id));
      const lanes = open.filter((lane) => (underWay.get(lane.webhook_id) ?? 0) < placesOf(lane, perEndpoint));
      if (lanes.length === 0) return { items: [], mayBeMore: due.length > 0 };
      const claimed = await underLease((lease) =>
        claimFromLanes(db, lanes, { items, underWay, now, lease, perEndpoint }),
      );
      after = lanes[Math.min(lanes.length, MAX_LANES_PER_CLAIM) - 1]?.webhook_id ?? '';
      return { items: claimed, mayBeMore: true };
    },
    async run(delivery, { signal }) {
      await mayBegin();
      const parent = deps.traceOf?.(delivery.id);
      const outcome = await inSpan(deps.tracing, 'webhook.deliver', { kind: 'consumer', parent }, () =>
        send(db.of(asTenantId(delivery.tenantId)), delivery, signal),
      ).catch((error): Outcome => outcomeOfError(error, clock, log));
      deps.onAttempt?.(...attemptOf(outcome));
      return outcome;
    },
    notBegun: { kind: 'stopped' },
    groupOf: ({ tenantId }) => tenantId,
    settle: (tenantId, batch) =>
      db.aside.of(asTenantId(tenantId)).write((tx) => settle(tx, batch, { now: clock.now(), random })),
  };
  return openWorker(deps, policy);
}

type Room = { items: Items<QueueItem>; underWay: Map<string, number>; now: number; lease: Lease; perEndpoint: number };

function claimFromLanes(
  db: Db,
  lanes: readonly Lane[],
  { items, underWay, perEndpoint, ...claim }: Room,
): Promise<QueueItem[]> {
  return db.aside.system.write(async (tx) => {
    await prepareClaim(tx);
    const claimed: QueueItem[] = [];
    for (const lane of inTurn(lanes).slice(0, MAX_LANES_PER_CLAIM)) {
      const ofTenant = claimed.filter(({ tenantId }) => tenantId === lane.owner_tenant_id).length;
      const roomOfTenant = MAX_IN_FLIGHT_PER_TENANT - (underWay.get(lane.owner_tenant_id) ?? 0) - ofTenant;
      const room = Math.min(MAX_IN_FLIGHT - items.size - claimed.length, roomOfTenant);
      if (room > 0)
        claimed.push(...(await claimFromLane(tx, lane, claim.now, claim.lease, { limit: room, perEndpoint })));
    }
    return claimed;
  });
}

/** Counts the deliveries under way by tenant and by endpoint, whose ids differ. */
function countByReceiver({ waiting, running }: Items<QueueItem>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { tenantId, webhookId } of [...waiting, ...running]) {
    for (const id of [tenantId, webhookId]) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** The due endpoints, from the one after the last served and round again, so that each gets its turn. */
async function lanesFrom(db: Db, now: number, after: string): Promise<Lane[]> {
  const lanes = await dueLanes(db.aside.system, { now, after, limit: MAX_LANES });
  if (after === '' || lanes.length === MAX_LANES) return lanes;
  const before = await dueLanes(db.aside.system, { now, after: '', limit: MAX_LANES - lanes.length });
  return [...lanes, ...before.filter(({ webhook_id }) => webhook_id <= after)];
}

/** The first endpoint of each tenant, then the second of each, so that many endpoints do not give a tenant more turns. */
function inTurn(lanes: readonly Lane[]): Lane[] {
  const queues = [...Map.groupBy(lanes, ({ owner_tenant_id }) => owner_tenant_id).values()];
  const longest = Math.max(...queues.map(({ length }) => length));
  const rounds = Array.from({ length: longest }, (_, at) => queues.flatMap((queue) => queue.slice(at, at + 1)));
  return rounds.flat();
}

function outcomeOfError(error: unknown, clock: Clock, log: QueueLog): Outcome {
  // A database that is away is not a fault of the delivery.
  if (error instanceof DbError) return { kind: 'stopped' };
  log.error({ err: error }, 'could not send a webhook');
  const nothing = {
    status: null,
    answer: null,
    retryAfter: undefined,
    milliseconds: 0,
    intervals: DEFAULT_RETRY_INTERVALS_MS,
  };
  return { kind: 'attempted', at: clock.now(), error: 'internal', local: true, ...nothing };
}

function attemptOf(outcome: Outcome): ['delivered' | 'failed' | 'dropped', number] {
  if (outcome.kind !== 'attempted') return ['dropped', 0];
  return [outcome.error === null ? 'delivered' : 'failed', outcome.milliseconds];
}
