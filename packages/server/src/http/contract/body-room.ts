import { totalmem } from 'node:os';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';
import { type Waiting, waitingLines } from '../../kernel/waiting-lines.ts';

/**
 * Room in memory for bodies that are being read and worked on. Without it, whoever has a link and a fast line could send a
 * thousand photographs of 12 MiB at once, and end the process for everybody. A tenant may have as much as it leaves free:
 * the first has half of the room at most, the next half of the rest. A body that does not fit waits a little, unread, and
 * tenants take turns. One journey has a few uploads at a time.
 */
export type BodyRoom = (maxBytes: number) => Hook;

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

export type BodyRoomOptions = { roomBytes?: number; roomWaitMs?: number };

/** Smaller bodies are not counted: even one on every connection takes no more room than one tenant may have. */
const COUNTED_FROM_DIGITS = 6;
/** A body of 10,000 bytes or more is long. */
const LONG_FROM_DIGITS = 5;
/** An attempt has at most this many images. */
const PER_SESSION = 30;
const MAX_WAITING = 1000;
/** A request may take 30 seconds in all, and a phone needs most of them to send a picture. */
const WAIT_MS = 8000;
const RETRY_AFTER_SECONDS = 2;
const MIN_ROOM_BYTES = 32 * 2 ** 20;
/** Pictures are decoded one after another: to hold more of them only costs memory. */
const MAX_ROOM_BYTES = 128 * 2 ** 20;

/** An eighth of the memory of the machine, or of the container, between the two limits. */
function usualRoom(): number {
  const memory = process.constrainedMemory() || totalmem();
  return Math.min(MAX_ROOM_BYTES, Math.max(MIN_ROOM_BYTES, Math.min(memory, totalmem()) / 8));
}

export function bodyRoom({ roomBytes = usualRoom(), roomWaitMs = WAIT_MS }: BodyRoomOptions = {}): BodyRoom {
  const room = sharedRoom(roomBytes);
  const uploads = new Map<string, number>();

  return (maxBytes) => (request, reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length.length < LONG_FROM_DIGITS)) return done();
    request.response = reply.raw;
    if (encoding === undefined && (length ?? '').length < COUNTED_FROM_DIGITS) return done();
    // A body without a length counts as the longest one; a body that is too long is refused before it is read.
    const bytes = Math.min(maxBytes, encoding === undefined ? Number(length) : maxBytes);
    const tenant = (request.principal ?? request.journey)?.tenantId;
    if (tenant === undefined) return done();
    const { sessionId } = request.journey ?? {};
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
    const body: Body = {
      bytes,
      isGone: reply.raw.destroyed,
      begin() {
        clearTimeout(timer);
        reply.raw.once('close', () => room.giveBack(tenant, bytes));
        done();
      },
    };
    reply.raw.once('close', () => {
      body.isGone = true;
      clearTimeout(timer);
    });
    if (room.enter(tenant, body)) return;
    clearTimeout(timer);
    refuse();
  };
}

function add(amounts: Map<string, number>, owner: string, amount: number): void {
  const now = (amounts.get(owner) ?? 0) + amount;
  if (now > 0) amounts.set(owner, now);
  else amounts.delete(owner);
}

type Body = { readonly bytes: number; isGone: boolean; begin(): void };

/** Bodies of tenants begin when there is room for them, in turns of their tenants. */
function sharedRoom(roomBytes: number) {
  const used = new Map<string, number>();
  const lines = waitingLines<Body>(MAX_WAITING);
  let bytesInUse = 0;
  const fits = (tenant: string, bytes: number) => (used.get(tenant) ?? 0) + bytes <= roomBytes - bytesInUse - bytes;
  const take = (tenant: string, bytes: number) => {
    bytesInUse += bytes;
    add(used, tenant, bytes);
  };
  /** Lets in those that fit now. Behind a body that does not fit, others of its tenant wait on. */
  const serveWaiting = () => {
    const [served, unserved]: [Waiting<Body>[], Waiting<Body>[]] = [[], []];
    const blocked = new Set<string>();
    for (const each of lines.take(lines.size)) {
      const { owner, job } = each;
      if (job.isGone) continue;
      if (blocked.has(owner) || !fits(owner, job.bytes)) {
        blocked.add(owner);
        unserved.push(each);
        continue;
      }
      take(owner, job.bytes);
      served.push(each);
    }
    lines.putBack(unserved, served);
    for (const { job } of served) job.begin();
  };
  return {
    /** False if too many wait. Nobody overtakes those who wait. */
    enter(tenant: string, body: Body): boolean {
      if (!lines.add(tenant, body)) return false;
      serveWaiting();
      return true;
    },
    giveBack(tenant: string, bytes: number): void {
      take(tenant, -bytes);
      serveWaiting();
    },
  };
}
