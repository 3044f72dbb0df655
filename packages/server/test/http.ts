import type { AddressInfo } from 'node:net';
import { operations } from '@grove/contract';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { readConfig } from '../src/config.ts';
import type { Db } from '../src/db/db.ts';
import { requestLimits } from '../src/http/contract/limits.ts';
import { buildHttp, type HttpDeps } from '../src/http/server.ts';
import { hostTenant } from '../src/http/tenant.ts';
import type { Credential } from '../src/kernel/context.ts';
import { ApiError } from '../src/kernel/errors.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import { permissionSet } from '../src/kernel/permissions.ts';
import { type TestClock, testClock } from './harness.ts';
import { type Answer, fetchAnswer, recordAnswers } from './record-answers.ts';

/** The HTTP server with handlers of the test, for everything around the handlers. */
export type TestHttp = {
  http: FastifyInstance;
  clock: TestClock;
  baseUrl: string;
  logged(): string;
  call(path: string, init?: RequestInit): Promise<Answer>;
  stop(): Promise<void>;
};

// biome-ignore lint/suspicious/noExplicitAny: a handler of a test may take and give anything.
export type AnyHandlers = Record<string, Record<string, (context: any, input: any) => unknown>>;

export type TestHttpOptions = {
  handlers?: AnyHandlers;
  db?: Db;
  clock?: TestClock;
  environment?: Record<string, string>;
  /** The handlers are those of the server, so their answers count as exercised. */
  genuine?: true;
} & Partial<
  Pick<
    HttpDeps,
    'journeySession' | 'definitionSchema' | 'webFolder' | 'observe' | 'roomBytes' | 'roomWaitMs' | 'roomPatienceMs'
  >
>;

/** The only valid bearer token, which allows everything in the tenant acme. */
export const BEARER = 'Bearer everything';

export async function openTestHttp(options: TestHttpOptions = {}): Promise<TestHttp> {
  const { clock = testClock(), environment = {}, handlers = {}, db = {} as Db } = options;
  const config = readConfig({ PORT: '0', HOST: '127.0.0.1', GROVE_RATE_LIMIT: 'off', ...environment });
  const lines: string[] = [];
  const http = buildHttp({
    webFolder: '',
    consoleFolder: '',
    config,
    version: '0',
    metricsToken: undefined,
    hostTenant: hostTenant(config),
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    limits: requestLimits(config.rateLimit, clock),
    testVolume: undefined,
    authenticate,
    journeySession: refuse,
    operatorSession: refuse,
    idempotency: async ({ handle, context }) => ({ body: await handle(context), replayed: false }),
    readBefore: async () => undefined,
    recordChange: async () => undefined,
    readBudget: { admit: () => () => undefined },
    isLenient: async () => false,
    observe: () => undefined,
    metrics: async () => '',
    jwks: async () => [],
    relatedOrigins: async () => [],
    definitionSchema: () => ({}),
    ready: async () => undefined,
    pageFile: async () => undefined,
    mayFramePage: async () => false,
    mayFrameJourney: async () => false,
    baseUrlOf: () => '',
    ...options,
    handlers: merged(handlers),
    clock,
    db,
  });
  if (options.genuine) recordAnswers(http);
  await http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = http.server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    http,
    clock,
    baseUrl,
    logged: () => lines.join(''),
    async call(path, init = {}) {
      const json = typeof init.body === 'string' && { 'Content-Type': 'application/json' };
      return fetchAnswer(`${baseUrl}${path}`, {
        redirect: 'manual',
        ...init,
        headers: { ...json, ...(init.headers as Record<string, string>) },
      });
    },
    async stop() {
      http.server.closeAllConnections();
      await http.close();
    },
  };
}

function authenticate(token: string): Credential {
  if (token !== 'everything') throw new ApiError(276);
  const tenantId = asTenantId('acme');
  const permissions = permissionSet(tenantId, ['TNT#acme#*']);
  return { principal: () => ({ tenantId, callerId: 'key', callerName: 'Key', environment: 'live', permissions }) };
}

async function refuse(): Promise<never> {
  throw new ApiError(100054);
}

/** Every handler that the test does not provide throws with the id of its operation. */
function absent(): AnyHandlers {
  const all: AnyHandlers = {};
  for (const { id, group, name } of operations()) {
    all[group] = {
      ...all[group],
      [name]: () => {
        throw new Error(`the test has no handler for ${id}`);
      },
    };
  }
  return all;
}

function merged(handlers: AnyHandlers): HttpDeps['handlers'] {
  const all = absent();
  for (const [group, own] of Object.entries(handlers)) all[group] = { ...all[group], ...own };
  return all as unknown as HttpDeps['handlers'];
}
