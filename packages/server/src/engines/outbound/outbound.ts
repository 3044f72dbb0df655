import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { checkTarget } from './check-target.ts';
import { type Agents, exchange, type OutboundFault, type OutboundRequest } from './exchange.ts';
import { hostResolver, type ResolveHost } from './resolve-host.ts';

/**
 * The only way to the outside. Ensures that a target which a tenant names is reached by https, on the public internet or in
 * the operator's list, without redirects (SSRF). Of the answer, callers see the status only, unless a step of the tenant
 * reads the body.
 */
export type Outbound = {
  /** The fault of an address that a caller wants to store; undefined if it may be tried. */
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
/** Connections that stay open for the next request. Beyond this number each request opens and closes its own. */
const MAX_KEPT_SOCKETS = 512;
const MAX_FREE_SOCKETS_PER_HOST = 4;
const KEPT_MS = 5000;

export function openOutbound({ allow, resolve = hostResolver() }: OutboundOptions): Outbound {
  const sockets = new Set<Socket>();
  const keeping = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS_PER_HOST, timeout: KEPT_MS };
  // Set here, so that no environment variable can change it.
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
      // The other side may close an open connection just when it is used again, which is not a failure.
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
