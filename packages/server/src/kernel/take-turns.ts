import type { Environment } from './environment.ts';
import { ApiError } from './errors.ts';

export type TakeTurns = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** Callers of a tenant that wait behind each other. */
export type Line = Environment | 'journeys';

/** Live and test callers of a tenant wait in lines of their own: a test key must not use up the places of live callers. */
export function lineOf(tenantId: string, line: Line | undefined): string {
  return `${tenantId} ${line ?? ''}`;
}

/**
 * Work of one name is done one after another, in the order in which it came; work of different names has nothing to do
 * with each other. Whoever would have to wait behind more than `most` others is told to come back: 100010.
 */
export function takingTurns(most: number): TakeTurns {
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
