import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { lineOf, openTurns } from '../../kernel/take-turns.ts';
import { countUnderWay } from '../../kernel/under-way.ts';

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

const PARTS = ['live', 'test', 'journeys'] as const;

/** Refuses with 100010 if several bodies of the line wait already. */
export function longBodies(): LongBodies {
  const inTurn = openTurns(MAX_WAITING);
  const bodies = countUnderWay();
  /** How many lines of a tenant have bodies that wait, are read, or have just been read. */
  const linesInUse = (tenant: string) => PARTS.filter((part) => bodies.count(lineOf(tenant, part)) > 0).length;
  return (request, readBody, refuse) => {
    const tenant = (request.principal ?? request.journey)?.tenantId;
    const { response } = request;
    if (tenant === undefined || !response) return readBody();
    const line = lineOf(tenant, request.principal?.environment ?? 'journeys');
    const leave = bodies.enter(line);
    inTurn(line, async () => {
      if (response.destroyed) return;
      const began = performance.now();
      readBody();
      const costMs = COST_FACTOR * (performance.now() - began);
      const pauseMs = PAUSE_FACTOR * costMs * linesInUse(tenant);
      await pause(Math.min(MAX_PAUSE_MS, pauseMs), undefined, { ref: false });
    })
      .catch(refuse)
      .finally(leave);
  };
}
