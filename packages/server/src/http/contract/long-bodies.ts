import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { lineOf, openTurns } from '../../kernel/take-turns.ts';
import { countUnderWay } from '../../kernel/under-way.ts';

/**
 * Long JSON bodies of one tenant take turns, and a pause of many times its cost follows each. Reading and checking a
 * mebibyte of JSON blocks the process for a tenth of a second: a caller that sends one after another would leave no time for
 * others. Live callers, test callers and journeys of a tenant have one line each, so that neither a leaked test key nor an
 * end user can fill the line of live callers; together they get the share of one tenant.
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
/** The measured time ends when the handler waits for something. It may take as much time again later. */
const COST_FACTOR = 2;
const MAX_PAUSE_MS = 3000;

const PARTS = ['live', 'test', 'journeys'] as const;

/** Refuses with 100010 if several bodies of the line wait already. */
export function longBodies(): LongBodies {
  const inTurn = openTurns(MAX_WAITING);
  const bodies = countUnderWay();
  /** The number of lines of a tenant with bodies that wait, are read, or were just read. */
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
