import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { DbError } from '../db/db.ts';
import type { ApiError } from '../kernel/errors.ts';

const OUTAGE_EVERY_MS = 10_000;

/**
 * Logs a request that failed by a fault of ours. While the database is away or full every request fails for the same reason,
 * so that reason is logged once in ten seconds, with the number of requests that met it since.
 */
export function failureLog(log: Logger): (request: FastifyRequest, operation: string, error: ApiError) => void {
  const outages = new Map<string, { nextAt: number; requests: number }>();
  return (request, operation, error) => {
    const cause = error.cause ?? error;
    const fields = { requestId: request.id, operation, code: error.code, err: cause, note: error.detail.log };
    if (!(cause instanceof DbError)) return log.error(fields, 'request failed');
    const outage = outages.get(cause.fault) ?? { nextAt: 0, requests: 0 };
    outages.set(cause.fault, outage);
    outage.requests += 1;
    const now = performance.now();
    if (now < outage.nextAt) return;
    log.error({ ...fields, requests: outage.requests }, 'request failed');
    outages.set(cause.fault, { nextAt: now + OUTAGE_EVERY_MS, requests: 0 });
  };
}
