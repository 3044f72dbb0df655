import { randomUUID } from 'node:crypto';
import { type Db, DbError } from '../db/db.ts';
import type { JobLog } from '../jobs/log.ts';
import { openPoll } from '../jobs/poll.ts';
import { MINUTE } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { inSpan, type Tracing } from '../kernel/tracing.ts';
import {
  type Claimed,
  claimFromLane,
  dueLanes,
  freeAllLeases,
  type Lane,
  placesOf,
  prepareClaim,
} from './queue.repository.ts';
import { DEFAULT_RETRY_INTERVALS_MS } from './retry-rules.ts';
import { deliverySender, type Outcome, type SendDeps } from './send-delivery.ts';
import { openOutcomes } from './write-outcomes.ts';

/**
 * Sends what is due. It asks for endpoints with something to send, takes a few deliveries of each in turn, and never
 * more than an endpoint can have under way: a receiver that hangs holds its own few places and nobody else's. Each
 * delivery is leased, so a server that dies leaves it to another, which sends it again under the same id.
 */
export type Dispatcher = {
  /** There may be something to send. */
  ring(): void;
  start(): void;
  /** What is under way ends if it does so soon; the rest is given back. */
  stop(): Promise<void>;
  /** Sends what is due by the clock until nothing is. For a process that has not started it. */
  deliverDue(): Promise<number>;
};

export type DispatcherDeps = SendDeps & {
  db: Db;
  log: JobLog;
  random?: () => number;
  leaseMs?: number;
  stopWithinMs?: number;
  /** Told of each attempt, for the metrics. */
  onAttempt?(outcome: 'delivered' | 'failed' | 'dropped', milliseconds: number): void;
  tracing?: Tracing | undefined;
  /** The trace that a delivery belongs to, if this server still knows. */
  traceOf?(deliveryId: string): string | undefined;
};

export const MAX_IN_FLIGHT = 256;
/** The endpoints of one tenant can never take every place. */
export const MAX_IN_FLIGHT_PER_TENANT = 192;
const MAX_LANES = 512;
const MAX_LANES_PER_CLAIM = 64;
// Long against the longest request and the differences between the servers' clocks.
const LEASE_MS = MINUTE;
const STOP_WITHIN_MS = 20_000;

export function openDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, clock, log, random = Math.random, leaseMs = LEASE_MS } = deps;
  const send = deliverySender(deps);
  const abort = new AbortController();
  const held = openPlaces();
  let after = '';
  let freed: Promise<unknown> = Promise.resolve();
  const poll = openPoll(() => claim(), pollLog(log));
  const outcomes = openOutcomes({
    ...{ db, clock, log, random },
    onWritten: (count) => {
      held.written(count);
      poll.ring();
    },
  });

  const begin = async (claimed: Claimed) => {
    const parent = deps.traceOf?.(claimed.id);
    const outcome = await inSpan(deps.tracing, 'webhook.deliver', { kind: 'consumer', parent }, () =>
      send(db.of(asTenantId(claimed.tenantId)), claimed, abort.signal),
    ).catch((error): Outcome => unexpected(error, clock.now(), log));
    deps.onAttempt?.(...attemptOf(outcome));
    held.leave(claimed);
    outcomes.add({ claimed, outcome });
  };

  const claim = async (): Promise<number> => {
    if (abort.signal.aborted || held.room() <= 0) return 0;
    const now = clock.now();
    const due = await lanesFrom(db, now, after);
    // One that hangs has all it may have under way, and much more that is due.
    const lanes = due.filter((lane) => held.of(lane.webhook_id) < placesOf(lane));
    if (lanes.length === 0) return 0;
    const lease = { token: randomUUID(), until: now + leaseMs };
    const taken = await db.system.write(async (tx) => {
      await prepareClaim(tx);
      const claimed: Claimed[] = [];
      for (const lane of inTurn(lanes).slice(0, MAX_LANES_PER_CLAIM)) {
        const ofTenant = claimed.filter(({ tenantId }) => tenantId === lane.owner_tenant_id).length;
        const roomOfTenant = MAX_IN_FLIGHT_PER_TENANT - held.of(lane.owner_tenant_id) - ofTenant;
        const room = Math.min(held.room() - claimed.length, roomOfTenant);
        if (room > 0) claimed.push(...(await claimFromLane(tx, lane, now, lease, room)));
      }
      return claimed;
    });
    after = lanes[Math.min(lanes.length, MAX_LANES_PER_CLAIM) - 1]?.webhook_id ?? '';
    for (const claimed of taken) {
      held.enter(claimed);
      begin(claimed);
    }
    return taken.length;
  };

  return {
    ring: poll.ring,
    start() {
      // A lease that is still there is that of a server that died.
      if (db.isSingleServer) freed = db.system.write(freeAllLeases);
      freed.catch((error) => log.error({ err: error }, 'could not free old leases; they will expire')).then(poll.start);
    },
    async stop() {
      await freed.catch(() => undefined);
      await poll.stop();
      outcomes.hurry();
      const cutOff = setTimeout(() => abort.abort(), deps.stopWithinMs ?? STOP_WITHIN_MS);
      await held.empty();
      clearTimeout(cutOff);
      abort.abort();
    },
    async deliverDue() {
      let total = 0;
      for (let claimed = -1; claimed !== 0; total += claimed) {
        claimed = await claim();
        await held.empty();
      }
      return total;
    },
  };
}

/** From the endpoint after the last that was served, and round again, so that all have their turn. */
async function lanesFrom(db: Db, now: number, after: string): Promise<Lane[]> {
  const lanes = await dueLanes(db.system, now, after, MAX_LANES);
  if (after === '' || lanes.length === MAX_LANES) return lanes;
  const before = await dueLanes(db.system, now, '', MAX_LANES - lanes.length);
  return [...lanes, ...before.filter(({ webhook_id }) => webhook_id <= after)];
}

/** The first of each tenant, then the second of each: a tenant with a hundred endpoints is not a hundred tenants. */
function inTurn(lanes: readonly Lane[]): Lane[] {
  const queues = [...Map.groupBy(lanes, ({ owner_tenant_id }) => owner_tenant_id).values()];
  const longest = Math.max(...queues.map(({ length }) => length));
  const rounds = Array.from({ length: longest }, (_, at) => queues.flatMap((queue) => queue.slice(at, at + 1)));
  return rounds.flat();
}

/** How much is under way, in all, for each tenant and for each endpoint. */
function openPlaces() {
  const counts = new Map<string, number>();
  let total = 0;
  let onEmpty: (() => void)[] = [];
  const add = (key: string, by: number) => {
    const count = (counts.get(key) ?? 0) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };
  return {
    /** What is not written down yet holds its place as well. */
    room: () => MAX_IN_FLIGHT - total,
    /** Of a tenant or a webhook: no id of the one is an id of the other. */
    of: (id: string) => counts.get(id) ?? 0,
    enter({ tenantId, webhookId }: Claimed) {
      total += 1;
      for (const key of [tenantId, webhookId]) add(key, 1);
    },
    leave({ tenantId, webhookId }: Claimed) {
      for (const key of [tenantId, webhookId]) add(key, -1);
    },
    written(count: number) {
      total -= count;
      if (total > 0) return;
      for (const tell of onEmpty) tell();
      onEmpty = [];
    },
    empty: () => (total === 0 ? Promise.resolve() : new Promise<void>((done) => onEmpty.push(done))),
  };
}

function unexpected(error: unknown, at: number, log: JobLog): Outcome {
  // A database that is away says nothing of the delivery.
  if (error instanceof DbError) return { kind: 'stopped' };
  log.error({ err: error }, 'could not send a webhook');
  const nothing = { status: null, retryAfter: undefined, milliseconds: 0, intervals: DEFAULT_RETRY_INTERVALS_MS };
  return { kind: 'attempted', at, error: 'internal', local: true, ...nothing };
}

function pollLog(log: JobLog): JobLog {
  return {
    info: (details) => log.info(details, 'sending webhooks works again'),
    warn: log.warn,
    error: (details) => log.error(details, 'could not claim webhook deliveries'),
  };
}

function attemptOf(outcome: Outcome): ['delivered' | 'failed' | 'dropped', number] {
  if (outcome.kind !== 'attempted') return ['dropped', 0];
  return [outcome.error === null ? 'delivered' : 'failed', outcome.milliseconds];
}
