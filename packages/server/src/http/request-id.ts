import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** When a request came in, in milliseconds of `performance.now()`. */
type Timed = IncomingMessage & { arrivedAt?: number };

/**
 * Unique without asking for randomness each time: where this process started, and how many requests it has seen. The
 * framework asks for the id of a request before anything else, so the moment is noted here: it notes one itself only
 * where it has a logger, or a hook after every answer.
 */
export function requestIds(): (request: IncomingMessage) => string {
  const start = randomBytes(9).toString('base64url');
  let count = 0;
  return (request: Timed) => {
    count += 1;
    request.arrivedAt = performance.now();
    return `${start}${count.toString(36)}`;
  };
}

/** How long ago a request came in. */
export function millisecondsSince(request: IncomingMessage): number {
  const { arrivedAt } = request as Timed;
  return arrivedAt === undefined ? 0 : performance.now() - arrivedAt;
}
