import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { takingTurns } from '../../kernel/take-turns.ts';

/**
 * Long JSON bodies of one tenant take turns, and between two of them is a pause of many times what the first has cost. To
 * read a mebibyte of JSON and to look at all of it takes a tenth of a second, in which nobody else is served: whoever sends
 * one after another would leave nothing for others. Definitions and forms are much shorter.
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
const MAX_PAUSE_MS = 3000;

/** Refuses with 100010 if several bodies wait already. */
export function longBodies(): LongBodies {
  const inTurn = takingTurns(MAX_WAITING);
  return (request, readBody, refuse) => {
    const tenant = (request.principal ?? request.journey)?.tenantId;
    const { response } = request;
    if (tenant === undefined || !response) return readBody();
    inTurn(tenant, async () => {
      if (response.destroyed) return;
      const began = performance.now();
      const closed = new Promise<void>((done) => response.once('close', done));
      readBody();
      await closed;
      await pause(Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - began)), undefined, { ref: false });
    }).catch(refuse);
  };
}
