import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { waitingLines } from '../kernel/waiting-lines.ts';
import { tenantOfConnection } from './contract/guard.ts';
import { networkOf } from './limit-connections.ts';

/**
 * Ensures that nobody waits for the flood of another caller. Requests that arrive together are served together, which is
 * cheapest, but whoever arrives meanwhile waits for all of them. So while several callers are around, a turn of the event
 * loop begins only as many requests as fit into `TURN_MS` by what earlier ones have cost, one of each caller in turn. The
 * others wait before anything is done for them: a refusal costs as much as an answer. A single caller waits for nobody.
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
/** After another caller was here, for so long. */
const SHARED_MS = 300;
export const MAX_WAITING = 2048;
const MOST_IN_TURN = 64;
/** How much of what is known about the cost of a request is left after a turn. */
const MEMORY = 0.9;
/** Turns that are measured after the last request has begun: its work may go on in them. */
const TURNS_AFTER = 3;

/** False if too many requests of this caller wait. */
export function entrance(options: EntranceOptions = {}): Enter {
  const { gather = (begin) => begin(), now = () => performance.now(), usedMs = threadMs } = options;
  const { nextTurn = setImmediate } = options;
  const lines = waitingLines<() => void>(MAX_WAITING);
  let last: string | undefined;
  let sharedUntil = 0;
  let isScheduled = false;
  /** Requests that this turn may still begin, and those that it has begun. */
  let places = 1;
  let startedCount = 0;
  let turnsLeft = 0;
  let usedBefore = 0;
  /** What is known about the cost of a request: the sums of time and of requests, older turns counting less. */
  let spentMs = TURN_MS / 4;
  let requests = 1;

  const beginTurn = () => {
    isScheduled = false;
    const used = usedMs();
    spentMs = MEMORY * spentMs + used - usedBefore;
    requests = MEMORY * requests + startedCount;
    usedBefore = used;
    // Those that still wait are of a single caller, if nobody else has come for a while.
    places =
      now() >= sharedUntil
        ? MAX_WAITING
        : Math.max(1, Math.min(MOST_IN_TURN, Math.floor((TURN_MS * requests) / spentMs)));
    const batch = lines.take(places);
    // Whoever had a place comes last in the next turn.
    lines.putBack([], batch);
    places -= batch.length;
    startedCount = batch.length;
    turnsLeft = startedCount > 0 ? TURNS_AFTER : turnsLeft - 1;
    if (turnsLeft > 0) schedule();
    if (startedCount > 0) {
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

  return (caller, begin) => {
    const at = now();
    if (caller !== last) {
      if (last !== undefined) sharedUntil = at + SHARED_MS;
      last = caller;
    }
    if (at >= sharedUntil && lines.size === 0) {
      begin();
      return true;
    }
    // What was used before the first of a turn is not its cost.
    if (!isScheduled) usedBefore = usedMs();
    turnsLeft = TURNS_AFTER;
    schedule();
    if (lines.size > 0 || places <= 0) return lines.add(caller, begin);
    places -= 1;
    startedCount += 1;
    begin();
    return true;
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Whose request it is: the tenant that the connection has shown itself to be before, or the network that it comes from. */
export function callerOf(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = proxies.length > 0 ? proxyAddr.compile([...proxies]) : undefined;
  const addressOf = (request: IncomingMessage) =>
    (isProxy ? proxyAddr(request, isProxy) : request.socket.remoteAddress) ?? '';
  return (request) => tenantOfConnection(request) ?? `network ${networkOf(addressOf(request))}`;
}
