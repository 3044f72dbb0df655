import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type RateLimiter, rateLimiter } from '../../kernel/rate-limiter.ts';
import { addHeader } from '../fast/respond.ts';
import { networkOf } from '../limit-connections.ts';

/**
 * Limits the requests of a caller: by address before the credential is checked, then by API key. Nothing in a request can
 * raise the limit of its address.
 */
export type Limits = {
  ofAddress(request: FastifyRequest): void;
  ofKey(keyId: string, request: FastifyRequest): void;
  /** Limits how often a caller may try one-time codes. */
  ofNewSession(request: FastifyRequest): void;
  /** Called before the bytes are read. */
  ofUpload(sessionId: string, request: FastifyRequest): void;
};

const WINDOW_SECONDS = 1;
/** Several keys may share an address. */
const ADDRESS_FACTOR = 4;
const NEW_SESSIONS_PER_MINUTE = 30;
/** A challenge of active liveness sends four frames a second. */
const UPLOADS_PER_MINUTE = 300;

export function requestLimits(perSecond: number | 'off', clock: Clock): Limits | undefined {
  if (perSecond === 'off') return undefined;
  const window = { windowSeconds: WINDOW_SECONDS, clock };
  const addresses = rateLimiter({ limit: perSecond * ADDRESS_FACTOR, ...window });
  const keys = rateLimiter({ limit: perSecond, ...window });
  const sessions = rateLimiter({ limit: NEW_SESSIONS_PER_MINUTE, windowSeconds: 60, clock });
  const uploads = rateLimiter({ limit: UPLOADS_PER_MINUTE, windowSeconds: 60, clock });
  return {
    ofAddress: (request) => take(addresses, networkOf(request.ip), request, false),
    ofKey: (keyId, request) => take(keys, keyId, request, true),
    ofNewSession: (request) => take(sessions, networkOf(request.ip), request, false),
    ofUpload: (sessionId, request) => take(uploads, sessionId, request, false),
  };
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers: the policy, and the remaining requests. */
function take(limiter: RateLimiter, caller: string, request: FastifyRequest, announce: boolean): void {
  const { allowed, remaining, retryAfterSeconds } = limiter.take(caller);
  if (announce || !allowed) {
    addHeader(request, 'RateLimit-Policy', `"default";q=${limiter.limit};w=${limiter.windowSeconds}`);
    addHeader(
      request,
      'RateLimit',
      `"default";r=${remaining};t=${allowed ? limiter.windowSeconds : retryAfterSeconds}`,
    );
  }
  if (!allowed) throw new ApiError(100007, { retryAfterSeconds });
}
