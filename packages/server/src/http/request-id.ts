import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The time at which a request arrived, in milliseconds of `performance.now()`. */
type Timed = IncomingMessage & { arrivedAt?: number };

/** An id of a caller is kept, so that both sides find a request in their logs. Anything else could forge a log or a header. */
const OF_CALLER = /^[A-Za-z0-9._-]{8,100}$/;

/**
 * Unique without asking for randomness each time: where this process started, and how many requests it has seen.
 */
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

/** The framework notes the moment only where it has a logger or a hook after every answer, and after the entrance. */
export function noteArrival(request: IncomingMessage): void {
  (request as Timed).arrivedAt = performance.now();
}

/** How long ago a request came in. */
export function millisecondsSince(request: IncomingMessage): number {
  const { arrivedAt } = request as Timed;
  return arrivedAt === undefined ? 0 : performance.now() - arrivedAt;
}
