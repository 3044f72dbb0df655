import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { checkTarget } from './check-target.ts';
import { type Agents, exchange, type OutboundFault, type OutboundRequest } from './exchange.ts';
import { hostResolver, type ResolveHost } from './resolve-host.ts';

/**
 * The one door to the outside. Whatever a tenant may name as a target is dialled from here alone: https, the public
 * internet or what the operator lists, no redirects, and of the answer nothing but its status, unless the body is what
 * the tenant's own step asks for.
 */
export type Outbound = {
  /** What is wrong with an address that a caller wants stored; nothing if it may be tried. */
  faultOf(uri: string): string | undefined;
  /** Never rejects. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Ends every connection. */
  close(): void;
};

export type { OutboundFault, OutboundRequest };

export type OutboundAnswer = { readonly milliseconds: number } & (
  | { readonly status: number; readonly retryAfter?: string; readonly body?: Buffer; readonly fault?: undefined }
  | {
      readonly fault: OutboundFault;
      readonly status?: undefined;
      readonly retryAfter?: undefined;
      readonly body?: undefined;
    }
);

export type OutboundOptions = { allow: AllowList; resolve?: ResolveHost };

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4096;
/** Connections that are kept for the next request. Beyond these each request has its own and closes it. */
const MAX_KEPT_SOCKETS = 512;
const MAX_FREE_SOCKETS_PER_HOST = 4;
const KEPT_MS = 5000;

export function openOutbound({ allow, resolve = hostResolver() }: OutboundOptions): Outbound {
  const sockets = new Set<Socket>();
  const keeping = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS_PER_HOST, timeout: KEPT_MS };
  // Said here, so that no variable of the environment can unsay it.
  const verified = { rejectUnauthorized: true };
  const keptAgents: Agents = { http: new HttpAgent(keeping), https: new HttpsAgent({ ...keeping, ...verified }) };
  const single: Agents = { http: new HttpAgent(), https: new HttpsAgent(verified) };
  return {
    faultOf(uri) {
      const target = checkTarget(uri, allow);
      return 'fault' in target ? target.fault : undefined;
    },
    async send(request) {
      const startedAt = performance.now();
      const elapsedMs = () => Math.round(performance.now() - startedAt);
      const target = checkTarget(request.url, allow);
      if ('fault' in target) return { fault: 'refused_address', milliseconds: elapsedMs() };
      const agents = sockets.size < MAX_KEPT_SOCKETS ? keptAgents : single;
      const deps = { allow, resolve, sockets };
      const bounded = { timeoutMs: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES, ...request };
      let outcome = await exchange(bounded, target, { ...deps, agents });
      // The other side may close a kept connection in the moment in which it is used again. That says nothing of it.
      if (outcome.stale) outcome = await exchange(bounded, target, { ...deps, agents: single });
      const { stale: _, ...answer } = outcome;
      return { ...answer, milliseconds: elapsedMs() } as OutboundAnswer;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      for (const { http, https } of [keptAgents, single]) {
        http.destroy();
        https.destroy();
      }
    },
  };
}
