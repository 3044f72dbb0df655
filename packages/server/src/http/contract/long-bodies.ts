import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { lineOf, takingTurns } from '../../kernel/take-turns.ts';

/**
 * Long JSON bodies of one tenant take turns, and after each is a pause of many times what it has cost. To read a mebibyte
 * of JSON and to look at all of it takes a tenth of a second, in which nobody else is served: whoever sends one after
 * another would leave nothing for others. Live callers, test callers and journeys of a tenant have a line each, so that
 * neither a leaked test key nor an end user can fill the line of live callers; together they have the share of one.
 */
export type LongBodies = (request: FastifyRequest, readBody: () => void, refuse: (error: Error) => void) => void;

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer to a request that may have a long body. */
    response: ServerResponse | null;
  }
}

export const LONG_BYTES = 64 * 1024;
const MAX_WAITING = 5;
/** A twentieth of the time at most is spent on one tenant's long bodies. */
const PAUSE_FACTOR = 19;
/** Measured is what happens until the handler waits for something. It may do as much again later. */
const COST_FACTOR = 2;
const MAX_PAUSE_MS = 3000;

/** Refuses with 100010 if several bodies of the line wait already. */
export function longBodies(): LongBodies {
  const inTurn = takingTurns(MAX_WAITING);
  const linesInUse = countLines();
  return (request, readBody, refuse) => {
    const tenant = (request.principal ?? request.journey)?.tenantId;
    const { response } = request;
    if (tenant === undefined || !response) return readBody();
    const line = lineOf(tenant, request.principal?.environment ?? 'journeys');
    const leave = linesInUse.enter(tenant, line);
    inTurn(line, async () => {
      if (response.destroyed) return;
      const began = performance.now();
      readBody();
      const costMs = COST_FACTOR * (performance.now() - began);
      const pauseMs = PAUSE_FACTOR * costMs * linesInUse.count(tenant);
      await pause(Math.min(MAX_PAUSE_MS, pauseMs), undefined, { ref: false });
    })
      .catch(refuse)
      .finally(leave);
  };
}

/** How many lines of a tenant have bodies that wait, are read, or have just been read. */
function countLines() {
  const tenants = new Map<string, Map<string, number>>();
  return {
    count: (tenant: string) => tenants.get(tenant)?.size ?? 1,
    enter(tenant: string, line: string): () => void {
      const lines = tenants.get(tenant) ?? new Map<string, number>();
      tenants.set(tenant, lines);
      lines.set(line, (lines.get(line) ?? 0) + 1);
      return () => {
        const remaining = (lines.get(line) ?? 1) - 1;
        if (remaining > 0) lines.set(line, remaining);
        else lines.delete(line);
        if (lines.size === 0) tenants.delete(tenant);
      };
    },
  };
}
