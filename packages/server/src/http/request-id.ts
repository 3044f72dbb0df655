import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The time at which a request arrived, in milliseconds of `performance.now()`. */
type ArrivedRequest = IncomingMessage & { arrivedAt?: number };

/** An id of the caller is used only in this form, so that it cannot forge a log line or a header (injection). */
const OF_CALLER = /^[A-Za-z0-9._-]{8,100}$/;

/** The id of the caller, so that both sides find a request in their logs; otherwise a random start and a counter. */
export function requestIds(): (request: IncomingMessage) => string {
  const start = randomBytes(9).toString('base64url');
  let count = 0;
  return (request: IncomingMessage) => {
    count += 1;
    const own = request.headers['x-request-id'];
    if (typeof own === 'string' && OF_CALLER.test(own)) return own;
    return `${start}${count.toString(36)}`;
  };
}

/** The framework would record the moment only after the entrance, and only with a logger or a hook after every answer. */
export function noteArrival(request: IncomingMessage): void {
  (request as ArrivedRequest).arrivedAt = performance.now();
}

/** The milliseconds since a request arrived. */
export function millisecondsSince(request: IncomingMessage): number {
  const { arrivedAt } = request as ArrivedRequest;
  return arrivedAt === undefined ? 0 : performance.now() - arrivedAt;
}
