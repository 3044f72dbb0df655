import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, stepOf } from '../packages/server/src/identity-store/totps/match-code.ts';
import { limitChecks } from './bars.ts';
import { type LoadRequest, probe } from './load.ts';
import { bearerOf } from './requests.ts';
import type { Figures } from './results.ts';
import type { Installation } from './seed.ts';
import {
  ASKED_USERS,
  askedUser,
  eventProcessOf,
  extIdOf,
  STORE,
  TOTP_POLICY,
  TOTP_SECRET,
  TOTP_USERS,
} from './seed-identity.ts';
import { startGrove } from './target.ts';

/** The requests of the scenarios of the identity store. */
const USERS = `/api/identity-store/stores/${STORE}/users`;
const QUERIES = '/api/identity-store/events/queries';

/** Reads users from all over the million by their external id. */
export async function userRequests(origin: string, apiKey: string): Promise<LoadRequest[]> {
  const headers = { Authorization: `Bearer ${await bearerOf(origin, apiKey)}` };
  return Array.from({ length: ASKED_USERS }, (_, at) => ({
    method: 'GET',
    path: `${USERS}/${encodeURIComponent(extIdOf(askedUser(at)))}/ext`,
    variants: [{ headers }],
  }));
}

/**
 * Each user authenticates once in a round, with a time step that is later than that of the previous round. If a round was
 * short, the next one waits: the time step may be ahead of the server's clock only by the window of the policy.
 */
export function totpRounds(bearer: string): () => Promise<LoadRequest[]> {
  const totp = { ...TOTP_POLICY, secret: TOTP_SECRET };
  let last = 0;
  return async () => {
    last = Math.max(last + 1, stepOf(totp, Date.now()) - 1);
    const goodFromMs = (last - TOTP_POLICY.window) * TOTP_POLICY.period * 1000;
    await sleep(Math.max(0, goodFromMs - Date.now()));
    const body = JSON.stringify({ code: codeOf(totp, last) });
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
    return Array.from({ length: TOTP_USERS }, (_, number) => ({
      method: 'POST',
      path: `${USERS}/${encodeURIComponent(extIdOf(number))}/totps/authentications/${TOTP_POLICY.name}/ext`,
      variants: [{ headers, body }],
    }));
  };
}

const ASKED_QUERIES = 200;

/** Measures the time from the start of a query to its first page, one query after the other. */
export async function measureEventQuery({ place, seeded }: Installation): Promise<Figures> {
  const server = await startGrove(place);
  try {
    const { origin } = server;
    const headers = {
      Authorization: `Bearer ${await bearerOf(origin, seeded.apiKey)}`,
      'Content-Type': 'application/json',
    };
    const firstPages: number[] = [];
    for (let number = -10; number < ASKED_QUERIES; number++) {
      const started = performance.now();
      const body = JSON.stringify({ parentProcessDefnId: eventProcessOf(number + 10), size: 100 });
      const request: LoadRequest = { method: 'POST', path: `${QUERIES}/start`, variants: [{ headers, body }] };
      const { executionId } = JSON.parse((await probe(origin, request, 201)).text) as { executionId: string };
      const resultRequest: LoadRequest = {
        method: 'GET',
        path: `${QUERIES}/${executionId}/result`,
        variants: [{ headers }],
      };
      let results = -1;
      while (results < 0) {
        const answer = JSON.parse((await probe(origin, resultRequest, 200)).text) as {
          status: string;
          results: unknown[];
        };
        if (answer.status === 'FAILED') throw new Error('a query failed');
        if (answer.status === 'SUCCEEDED') results = answer.results.length;
      }
      if (results !== 100) throw new Error(`${results} events were found`);
      // The first ones pay for compilation.
      if (number >= 0) firstPages.push(performance.now() - started);
    }
    const inOrder = firstPages.toSorted((one, other) => one - other);
    const at = (share: number) => inOrder[Math.floor(inOrder.length * share)] as number;
    return {
      kind: 'figures',
      name: 'event-query',
      figures: [
        { what: 'first page, p50', value: at(0.5), unit: 'ms' },
        { what: 'first page, p95', value: at(0.95), unit: 'ms' },
      ],
      series: { firstPages },
      checks: limitChecks('first page, p95', at(0.95)),
    };
  } finally {
    await server.stop();
  }
}
