import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { DbError } from '../db/db.ts';
import type { ApiError } from '../kernel/errors.ts';
import { openSharedReasons } from '../kernel/shared-reasons.ts';

const NOT_READY = 100010;
const PAGES_MISSING = 100135;

/**
 * Logs a request that failed by a fault of the server. While the database is away or the server is busy, every request fails
 * for the same reason, so the reason is logged once in ten seconds, with the number of requests since. The same is true
 * while the pages are built, because browsers try again every second.
 */
export function failureLog(log: Logger): (request: FastifyRequest, operation: string, error: ApiError) => void {
  const countShared = openSharedReasons();
  return (request, operation, error) => {
    const fields = { requestId: request.id, operation, code: error.code };
    const cause = error.cause ?? error;
    const failed = { ...fields, err: cause, note: error.detail.log };
    const reason = sharedReason(error);
    if (reason === undefined) return log.error(failed, 'request failed');
    const requests = countShared(reason);
    if (requests === undefined) return;
    if (cause instanceof DbError) log.error({ ...failed, requests }, 'request failed');
    // Nothing is broken, so no stack would help.
    else if (error.code === PAGES_MISSING) log.warn({ ...fields, requests }, reason);
    else log.warn({ ...fields, reason, requests }, 'request refused, because the server is busy');
  };
}

/** Returns the reason that many requests share at such a moment, or undefined if the failure has its own cause. */
function sharedReason({ code, cause, detail, message }: ApiError): string | undefined {
  if (cause instanceof DbError) return cause.fault;
  if (code === PAGES_MISSING) return message;
  return code === NOT_READY && cause === undefined ? (detail.detail ?? detail.log) : undefined;
}
