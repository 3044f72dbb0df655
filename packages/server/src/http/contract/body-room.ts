import type { IncomingMessage } from 'node:http';
import { totalmem } from 'node:os';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';
import { type Waiting, waitingLines } from '../../kernel/waiting-lines.ts';

/**
 * Ensures that the bodies in memory do not exceed a limit. Otherwise anybody with a link and a fast line could send a
 * thousand photographs of 12 MiB at once and crash the process. A tenant may use as much room as it leaves free: the first
 * tenant gets half of the room at most, the next half of the rest, and the sessions of a tenant share its part in the same
 * way. A body that does not fit waits unread for a short time, and senders take turns. While one waits, bodies that arrive
 * too slowly are cut off: otherwise a sender of single bytes would hold the room (Slowloris). A journey has a limited number
 * of uploads at a time.
 */
export type BodyRoom = (maxBytes: number) => Hook;

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

export type BodyRoomOptions = { roomBytes?: number; roomWaitMs?: number; roomPatienceMs?: number };

/** Smaller bodies are not counted: even one on every connection needs no more room than one tenant may use. */
const COUNTED_FROM_DIGITS = 6;
/** A body of 10,000 bytes or more is long. */
const LONG_FROM_DIGITS = 5;
/** An attempt has at most this many images. */
const PER_SESSION = 30;
const MAX_WAITING = 1000;
/** A request may take 30 seconds in all, and a phone needs most of them to send a picture. */
const WAIT_MS = 8000;
const RETRY_AFTER_SECONDS = 2;
/** After this time in the room, a body must arrive at least at half the pace that is necessary to arrive in time. */
const PATIENCE_MS = 5000;
const ARRIVAL_MS = 30_000;
const LOOK_EVERY_MS = 1000;
const MIN_ROOM_BYTES = 32 * 2 ** 20;
/** Pictures are decoded one after another, so more of them in memory gain nothing. */
const MAX_ROOM_BYTES = 128 * 2 ** 20;

/** An eighth of the memory of the machine, or of the container, between the two limits. */
function usualRoom(): number {
  const memory = process.constrainedMemory() || totalmem();
  return Math.min(MAX_ROOM_BYTES, Math.max(MIN_ROOM_BYTES, Math.min(memory, totalmem()) / 8));
}

export function bodyRoom({
  roomBytes = usualRoom(),
  roomWaitMs = WAIT_MS,
  roomPatienceMs = PATIENCE_MS,
}: BodyRoomOptions = {}): BodyRoom {
  const room = sharedRoom(roomBytes);
  const uploads = new Map<string, number>();

  return (maxBytes) => (request, reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length.length < LONG_FROM_DIGITS)) return done();
    request.response = reply.raw;
    if (encoding === undefined && (length ?? '').length < COUNTED_FROM_DIGITS) return done();
    // A body without a length counts as the longest one; a body that is too long is refused before it is read.
    const bytes = Math.min(maxBytes, encoding === undefined ? Number(length) : maxBytes);
    const { principal, journey } = request;
    const tenant = (principal ?? journey)?.tenantId;
    if (tenant === undefined) return done();
    const { sessionId } = journey ?? {};
    const refuse = () =>
      done(new ApiError(100007, { retryAfterSeconds: RETRY_AFTER_SECONDS, detail: 'too many bodies at once' }));
    const fitsNever = 2 * bytes > roomBytes;
    if (fitsNever || (sessionId && (uploads.get(sessionId) ?? 0) >= PER_SESSION)) return refuse();
    if (sessionId) {
      add(uploads, sessionId, 1);
      reply.raw.once('close', () => add(uploads, sessionId, -1));
    }
    const timer = setTimeout(() => {
      body.isGone = true;
      refuse();
    }, roomWaitMs);
    const pace = paceOf(request.raw, bytes, roomPatienceMs);
    const body: Body = {
      tenant,
      sender: `${tenant} ${sessionId ?? principal?.callerId}`,
      isOfSession: sessionId !== undefined,
      bytes,
      isGone: reply.raw.destroyed,
      isSlow: pace.isSlow,
      begin() {
        clearTimeout(timer);
        reply.raw.once('close', () => room.leave(body));
        pace.start();
        done();
      },
      end: () => request.raw.destroy(),
    };
    reply.raw.once('close', () => {
      body.isGone = true;
      clearTimeout(timer);
    });
    if (room.enter(body)) return;
    clearTimeout(timer);
    refuse();
  };
}

function add(amounts: Map<string, number>, owner: string, amount: number): void {
  const now = (amounts.get(owner) ?? 0) + amount;
  if (now > 0) amounts.set(owner, now);
  else amounts.delete(owner);
}

/** Judges whether a body arrives too slowly. A complete one is not slow, however long its request takes. */
function paceOf(request: IncomingMessage, bytes: number, patienceMs: number) {
  let startedAt = 0;
  let readBefore = 0;
  return {
    start() {
      startedAt = performance.now();
      readBefore = request.socket.bytesRead;
    },
    isSlow() {
      const elapsedMs = performance.now() - startedAt;
      if (request.complete || elapsedMs < patienceMs) return false;
      return 2 * (request.socket.bytesRead - readBefore) * ARRIVAL_MS < bytes * elapsedMs;
    },
  };
}

type Body = {
  readonly tenant: string;
  /** The session, the API key or the operator. */
  readonly sender: string;
  readonly isOfSession: boolean;
  readonly bytes: number;
  isGone: boolean;
  isSlow(): boolean;
  begin(): void;
  /** Ends the connection. */
  end(): void;
};

/** Bodies begin when there is room for them, in turns of their senders. */
function sharedRoom(roomBytes: number) {
  const ofTenants = new Map<string, number>();
  const ofSenders = new Map<string, number>();
  const inRoom = new Set<Body>();
  const lines = waitingLines<Body>(MAX_WAITING);
  let waitingOfTenants = new Map<string, number>();
  let bytesInUse = 0;
  let looking: NodeJS.Timeout | undefined;

  const fits = ({ tenant, sender, isOfSession, bytes }: Body) => {
    const rest = roomBytes - bytesInUse - (ofTenants.get(tenant) ?? 0);
    if (2 * bytes > rest) return false;
    const own = ofSenders.get(sender) ?? 0;
    // A session leaves as much room to the others of its tenant as it uses. It may always have one body.
    return !isOfSession || own === 0 || own + 2 * bytes <= rest / 2;
  };
  const take = ({ tenant, sender }: Body, bytes: number) => {
    bytesInUse += bytes;
    add(ofTenants, tenant, bytes);
    add(ofSenders, sender, bytes);
  };
  const endSlow = () => {
    for (const body of inRoom) if (body.isSlow()) body.end();
  };
  /** Begins the bodies that fit now. Behind a body that does not fit, others of its sender go on waiting. */
  const serveWaiting = () => {
    const [served, unserved]: [Waiting<Body>[], Waiting<Body>[]] = [[], []];
    const blocked = new Set<string>();
    waitingOfTenants = new Map();
    for (const each of lines.take(lines.size)) {
      const { owner, job } = each;
      if (job.isGone) continue;
      if (blocked.has(owner) || !fits(job)) {
        blocked.add(owner);
        unserved.push(each);
        add(waitingOfTenants, job.tenant, 1);
        continue;
      }
      take(job, job.bytes);
      inRoom.add(job);
      served.push(each);
    }
    lines.putBack(unserved, served);
    if (unserved.length > 0) looking ??= setInterval(endSlow, LOOK_EVERY_MS).unref();
    else {
      clearInterval(looking);
      looking = undefined;
    }
    for (const { job } of served) job.begin();
  };
  return {
    /** Returns false if too many wait. A body does not overtake earlier ones of its sender. */
    enter(body: Body): boolean {
      if ((waitingOfTenants.get(body.tenant) ?? 0) >= MAX_WAITING - lines.size) return false;
      if (!lines.add(body.sender, body)) return false;
      serveWaiting();
      return true;
    },
    leave(body: Body): void {
      take(body, -body.bytes);
      inRoom.delete(body);
      serveWaiting();
    },
  };
}
