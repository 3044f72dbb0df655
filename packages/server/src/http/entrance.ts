import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { type WaitingLines, waitingLines } from '../kernel/waiting-lines.ts';
import { tenantOfConnection } from './contract/guard.ts';
import { networkOf } from './limit-connections.ts';

/**
 * Ensures that nobody waits for the flood of another caller. It is cheapest to serve requests together that arrive together,
 * but a later request waits for all of them. So while several callers are active, a turn of the event loop begins only as
 * many requests as fit into `TURN_MS`, judged by the cost of earlier ones, one of each caller in turn. The others wait before
 * any work is done for them, because a refusal costs as much as an answer. A turn of a single caller is longer, because
 * nobody waits for its end, but it is limited: until its end, the server does not notice another caller.
 */
export type Enter = (caller: string, begin: () => void) => boolean;

export type EntranceOptions = {
  /** Begins the requests of a turn. */
  gather?(begin: () => void): void;
  now?(): number;
  /** Processor time that this thread has used. */
  usedMs?(): number;
  nextTurn?(work: () => void): void;
};

export const TURN_MS = 0.7;
/** The length of a turn while a single caller is active. */
export const LONE_TURN_MS = 20;
/** The time after a request of another caller in which several callers count as active. */
const SHARED_MS = 300;
export const MAX_WAITING = 2048;
/** The additional requests of a single caller that may wait: nobody else needs the room. */
export const MAX_OVERFLOW = 16_384;
const MAX_IN_TURN = 64;
/** The weight that earlier turns keep in the average cost of a request. */
const MEMORY = 0.9;
/** Turns that are measured after the last request has begun: its work may go on in them. */
const TURNS_AFTER = 3;

/** The assumed cost of a request, before any was measured. */
const FIRST_COST_MS = TURN_MS / 4;

/** Returns false if too many requests of the caller wait. */
export function entrance(options: EntranceOptions = {}): Enter {
  const { gather = (begin) => begin(), now = () => performance.now(), usedMs = threadMs } = options;
  const { nextTurn = setImmediate } = options;
  const lines = waitingLines<() => void>(MAX_WAITING);
  const overflow = openOverflow(lines);
  const cost = measureCost(usedMs);
  let last: string | undefined;
  let sharedUntil = 0;
  let isScheduled = false;
  /** Requests that this turn may still begin while several callers are active, and while a single one is. */
  let places = 1;
  let lonePlaces = cost.fitting(LONE_TURN_MS, MAX_WAITING);
  let turnsLeft = 0;

  const beginTurn = () => {
    isScheduled = false;
    cost.settle();
    lonePlaces = cost.fitting(LONE_TURN_MS, MAX_WAITING);
    // If no other caller has come for a while, all waiting requests are those of a single caller.
    places = now() >= sharedUntil ? lonePlaces : cost.fitting(TURN_MS, MAX_IN_TURN);
    const batch = lines.take(places);
    overflow.refill();
    // Callers that had a place come last in the next turn.
    lines.putBack([], batch);
    places -= batch.length;
    lonePlaces -= batch.length;
    cost.count(batch.length);
    turnsLeft = batch.length > 0 ? TURNS_AFTER : turnsLeft - 1;
    if (turnsLeft > 0) schedule();
    if (batch.length > 0) {
      gather(() => {
        for (const { job } of batch) job();
      });
    }
  };
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    nextTurn(beginTurn);
  };

  /** The requests of a connection begin in their order, so a request never overtakes others of its caller. */
  const wait = (caller: string, begin: Begin, isLone: boolean): boolean => {
    if (overflow.has(caller)) return overflow.add(caller, begin);
    return lines.add(caller, begin) || (isLone && overflow.add(caller, begin));
  };

  return (caller, begin) => {
    const at = now();
    if (caller !== last) {
      if (last !== undefined) sharedUntil = at + SHARED_MS;
      last = caller;
    }
    if (!isScheduled) cost.start();
    const isLone = at >= sharedUntil;
    const mayBegin = lines.size === 0 && (isLone ? lonePlaces : places) > 0;
    if (!isLone || !mayBegin) {
      turnsLeft = TURNS_AFTER;
      schedule();
    }
    if (!mayBegin) return wait(caller, begin, isLone);
    if (isLone) lonePlaces -= 1;
    else places -= 1;
    cost.count(1);
    begin();
    return true;
  };
}

type Begin = () => void;

/** Requests of a single caller that do not fit into its line. They begin in the order in which they came. */
function openOverflow(lines: WaitingLines<Begin>) {
  let owner = '';
  let waiting: Begin[] = [];
  const has = (caller: string) => waiting.length > 0 && owner === caller;
  return {
    has,
    add(caller: string, begin: Begin): boolean {
      if (waiting.length >= MAX_OVERFLOW || (waiting.length > 0 && !has(caller))) return false;
      owner = caller;
      waiting.push(begin);
      return true;
    },
    /** Moves requests into the line while there is room. */
    refill(): void {
      const count = waiting.findIndex((begin) => !lines.add(owner, begin));
      waiting = count === -1 ? [] : waiting.slice(count);
    },
  };
}

/** Measures the average cost of a request: the sums of time and of requests, in which older turns count less. */
function measureCost(usedMs: () => number) {
  let spentMs = FIRST_COST_MS;
  let requests = 1;
  let usedBefore = 0;
  let startedCount = 0;
  return {
    /** Excludes the time before the first request of a turn. */
    start(): void {
      if (startedCount === 0) usedBefore = usedMs();
    },
    count(requestCount: number): void {
      startedCount += requestCount;
    },
    settle(): void {
      const used = usedMs();
      spentMs = MEMORY * spentMs + used - usedBefore;
      requests = MEMORY * requests + startedCount;
      usedBefore = used;
      startedCount = 0;
    },
    /** The number of requests that fit into a time; at least one. */
    fitting: (ms: number, most: number) => Math.max(1, Math.min(most, Math.floor((ms * requests) / spentMs))),
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The caller of a request: the tenant that was admitted on this connection before, otherwise its network. */
export function callerOf(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = proxies.length > 0 ? proxyAddr.compile([...proxies]) : undefined;
  const addressOf = (request: IncomingMessage) =>
    (isProxy ? proxyAddr(request, isProxy) : request.socket.remoteAddress) ?? '';
  return (request) => tenantOfConnection(request) ?? `network ${networkOf(addressOf(request))}`;
}
