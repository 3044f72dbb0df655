import type { Environment } from './environment.ts';
import { ApiError } from './errors.ts';

export type TakeTurns = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** A group of callers of a tenant that wait for each other. */
export type Line = Environment | 'journeys';

/** Live and test callers of a tenant wait in lines of their own: a test key must not use up the places of live callers. */
export function lineOf(tenantId: string, line: Line | undefined): string {
  return `${tenantId} ${line ?? ''}`;
}

/**
 * Does work of one name one after another, in the order in which it came; work of another name does not wait for it.
 * Refuses with 100010 if more than `most` others already wait.
 */
export function openTurns(most: number): TakeTurns {
  const lines = new Map<string, { end: Promise<unknown> | undefined; length: number }>();
  return async (name, work) => {
    const line = lines.get(name) ?? { end: undefined, length: 0 };
    if (line.length > most) throw new ApiError(100010, { retryAfterSeconds: 1, log: 'too many wait for one thing' });
    line.length += 1;
    lines.set(name, line);
    const turn = line.end ? line.end.then(work) : work();
    line.end = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      line.length -= 1;
      if (line.length === 0) lines.delete(name);
    }
  };
}
