import { totalmem } from 'node:os';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';

/**
 * Room in memory for bodies that are being read and worked on. Without it, whoever has a link and a fast line could send a
 * thousand photographs of 12 MiB at once, and end the process for everybody. A tenant may have as much as it leaves free:
 * the first has half of the room at most, the next half of the rest. One journey has a few uploads at a time.
 */
export type BodyRoom = (maxBytes: number) => Hook;

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

export type BodyRoomOptions = { roomBytes?: number };

/** Smaller bodies are not counted: even one on every connection takes no more room than one tenant may have. */
const COUNTED_FROM_DIGITS = 6;
/** A body of 10,000 bytes or more is long. */
const LONG_FROM_DIGITS = 5;
/** An attempt has at most this many images. */
const PER_SESSION = 30;
const RETRY_AFTER_SECONDS = 2;
const MIN_ROOM_BYTES = 128 * 2 ** 20;
const MAX_ROOM_BYTES = 2 * 2 ** 30;

/** A quarter of the memory of the machine, or of the container. */
function usualRoom(): number {
  const memory = process.constrainedMemory() || totalmem();
  return Math.min(MAX_ROOM_BYTES, Math.max(MIN_ROOM_BYTES, Math.min(memory, totalmem()) / 4));
}

export function bodyRoom({ roomBytes = usualRoom() }: BodyRoomOptions = {}): BodyRoom {
  const used = new Map<string, number>();
  let bytesInUse = 0;

  const add = (owner: string, amount: number) => {
    const now = (used.get(owner) ?? 0) + amount;
    if (now > 0) used.set(owner, now);
    else used.delete(owner);
  };

  return (maxBytes) => (request, reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length.length < LONG_FROM_DIGITS)) return done();
    request.response = reply.raw;
    if (encoding === undefined && (length ?? '').length < COUNTED_FROM_DIGITS) return done();
    // A body without a length counts as the longest one; a body that is too long is refused before it is read.
    const bytes = Math.min(maxBytes, encoding === undefined ? Number(length) : maxBytes);
    const tenant = (request.principal ?? request.journey)?.tenantId;
    if (tenant === undefined) return done();
    const session = request.journey && `session ${request.journey.sessionId}`;
    const own = used.get(tenant) ?? 0;
    const isFull = own + bytes > roomBytes - bytesInUse - bytes;
    if (isFull || (session && (used.get(session) ?? 0) >= PER_SESSION)) {
      return done(new ApiError(100007, { retryAfterSeconds: RETRY_AFTER_SECONDS, detail: 'too many bodies at once' }));
    }
    bytesInUse += bytes;
    add(tenant, bytes);
    if (session) add(session, 1);
    reply.raw.once('close', () => {
      bytesInUse -= bytes;
      add(tenant, -bytes);
      if (session) add(session, -1);
    });
    done();
  };
}
