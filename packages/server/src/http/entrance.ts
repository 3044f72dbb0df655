import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { type WaitingLines, waitingLines } from '../kernel/waiting-lines.ts';
import { tenantOfConnection } from './contract/guard.ts';
import { networkOf } from './limit-connections.ts';

/**
 * Ensures that nobody waits for the flood of another caller. Requests that arrive together are served together, which is
 * cheapest, but whoever arrives meanwhile waits for all of them. So while several callers are around, a turn of the event
 * loop begins only as many requests as fit into `TURN_MS` by what earlier ones have cost, one of each caller in turn. The
 * others wait before anything is done for them: a refusal costs as much as an answer. A turn of a single caller is longer,
 * because nobody waits for its end. It has an end all the same: until then a caller who comes is not even seen.
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
/** While a single caller is around. */
export const LONE_TURN_MS = 20;
/** How long after a request of another caller several callers count as being around. */
const SHARED_MS = 300;
export const MAX_WAITING = 2048;
/** The additional requests of a single caller that may wait: nobody else needs the room. */
export const MAX_OVERFLOW = 16_384;
const MOST_IN_TURN = 64;
/** The weight that earlier turns keep in the average cost of a request. */
const MEMORY = 0.9;
/** Turns that are measured after the last request has begun: its work may go on in them. */
const TURNS_AFTER = 3;

/** The assumed cost of a request, before any was measured. */
const FIRST_COST_MS = TURN_MS / 4;

/** False if too many requests of this caller wait. */
export function entrance(options: EntranceOptions = {}): Enter {
  const { gather = (begin) => begin(), now = () => performance.now(), usedMs = threadMs } = options;
  const { nextTurn = setImmediate } = options;
  const lines = waitingLines<() => void>(MAX_WAITING);
  const overflow = openOverflow(lines);
  const cost = measureCost(usedMs);
  let last: string | undefined;
  let sharedUntil = 0;
  let isScheduled = false;
  /** Requests that this turn may still begin while several callers are around, and while a single one is. */
  let places = 1;
  let lonePlaces = cost.fitting(LONE_TURN_MS, MAX_WAITING);
  let turnsLeft = 0;

  const beginTurn = () => {
    isScheduled = false;
    cost.settle();
    lonePlaces = cost.fitting(LONE_TURN_MS, MAX_WAITING);
    // Those that still wait are of a single caller, if nobody else has come for a while.
    places = now() >= sharedUntil ? lonePlaces : cost.fitting(TURN_MS, MOST_IN_TURN);
    const batch = lines.take(places);
    overflow.refill();
    // Whoever had a place comes last in the next turn.
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

  /** The requests of a connection begin in their order, so what comes behind others of its caller stays behind them. */
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

/** Requests of a single caller that its line has no room for. They begin in the order in which they came. */
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
    /** Moves as many as there is room for into the line. */
    refill(): void {
      const count = waiting.findIndex((begin) => !lines.add(owner, begin));
      waiting = count === -1 ? [] : waiting.slice(count);
    },
  };
}

/** What is known about the cost of a request: the sums of time and of requests, older turns counting less. */
function measureCost(usedMs: () => number) {
  let spentMs = FIRST_COST_MS;
  let requests = 1;
  let usedBefore = 0;
  let startedCount = 0;
  return {
    /** What was used before the first request of a turn is not its cost. */
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
    /** How many requests fit into so much time; one at least. */
    fitting: (ms: number, most: number) => Math.max(1, Math.min(most, Math.floor((ms * requests) / spentMs))),
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The caller of a request: the tenant that this connection has proved to be before, or otherwise its network. */
export function callerOf(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = proxies.length > 0 ? proxyAddr.compile([...proxies]) : undefined;
  const addressOf = (request: IncomingMessage) =>
    (isProxy ? proxyAddr(request, isProxy) : request.socket.remoteAddress) ?? '';
  return (request) => tenantOfConnection(request) ?? `network ${networkOf(addressOf(request))}`;
}
