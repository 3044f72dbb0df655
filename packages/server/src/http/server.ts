import { isAscii } from 'node:buffer';
import { maxHeaderSize, type RequestListener, type Server } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { addressesOf, operations } from '@grove/contract';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { ApiError } from '../kernel/errors.ts';
import type { RawBody } from '../kernel/implement.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { acceptRequests } from './accept-requests.ts';
import type { Limits } from './contract/limits.ts';
import { LONG_BYTES, longBodies } from './contract/long-bodies.ts';
import { maskProblem } from './contract/mask-persons.ts';
import { MAX_BODY_BYTES, type MountDeps, mountContract, type ServedRoute } from './contract/mount.ts';
import { toApiError, toProblem } from './contract/problem.ts';
import { parseJsonBody } from './contract/strict-json.ts';
import { validatorCompiler } from './contract/validation.ts';
import { addHeader, problemResponder, type RespondProblem, responder, usualHeaders } from './fast/respond.ts';
import { specialResponder } from './fast/respond-special.ts';
import { serveTogether } from './fast/serve-together.ts';
import { limitConnections } from './limit-connections.ts';
import { failureLog } from './log-failure.ts';
import { type CustomPagesDeps, mountCustomPages, rewritePageHost } from './pages/custom-pages.ts';
import { type FramedByDeps, framedBy } from './pages/framed-by.ts';
import { mountConsole, mountWeb } from './pages/web.ts';
import { mountHealth, mountPublic, type PublicDeps } from './public.ts';
import { millisecondsSince, requestIds } from './request-id.ts';
import { type HomeOf, sendHome } from './send-home.ts';
import { endOfSpan, traceRequests } from './trace-requests.ts';

/** The HTTP server: limits and time-outs on everything, one place for errors, one for headers. */
const MAX_QUERY_KEYS = 50;
/** A connection carries one request at a time, so this is also the limit of concurrent requests. */
const MAX_CONNECTIONS = 4096;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

export type HttpDeps = Omit<
  MountDeps,
  'onAnswer' | 'serializers' | 'respond' | 'respondSpecial' | 'scheme' | 'together'
> &
  PublicDeps &
  Pick<CustomPagesDeps, 'pageFile' | 'baseUrlOf' | 'mayFramePage'> &
  Pick<FramedByDeps, 'mayFrameJourney'> & {
    config: Config;
    log: Logger;
    /** The folders of the built pages of the journey and of the console. */
    webFolder: string;
    consoleFolder: string;
    /** Called for every answer, for the metrics. */
    observe(operation: string, status: number, milliseconds: number): void;
    tracing?: Tracing | undefined;
    /** Set only for an installation in several regions. */
    homeOf?: HomeOf | undefined;
  };

export function buildHttp(deps: HttpDeps): FastifyInstance {
  const { config, log } = deps;
  const reporters = { logFailure: failureLog(log), onAnswer: answerRecorder(deps) };
  const respondProblem = problemResponder(config.scheme, config.fastLane);
  const respondSlowly = problemResponder(config.scheme, false);
  const together = serveTogether(config.fastLane);
  const app = Fastify({
    logger: false,
    genReqId: requestIds(),
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: serverMaker(deps, together.gather),
    forceCloseConnections: 'idle',
    // Requests on open connections during a stop are answered, because a proxy does not repeat a POST at another server.
    return503OnClosing: false,
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 3000, querystringParser: readQuery },
    ...(config.pagesDomain !== undefined && { rewriteUrl: rewritePageHost(config.pagesDomain) }),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors(error, request, reply) {
      // No hook runs for such a request or its answer.
      reply.headers({ ...usualHeaders(config.scheme), 'x-request-id': request.id });
      answerError({ ...reporters, respondProblem: respondSlowly }, error, request, reply as FastifyReply);
    },
  });
  limitConnections(app.server, { most: MAX_CONNECTIONS, proxies: config.trustProxy });
  app.setValidatorCompiler(validatorCompiler());
  readBodies(app);
  if (deps.tracing) traceRequests(app, deps.tracing);
  if (deps.limits) limitAddresses(app, deps.limits);
  app.setErrorHandler((error, request, reply) => answerError({ ...reporters, respondProblem }, error, request, reply));
  const allowed = config.roles.includes('api') ? allowedMethods() : () => [];
  app.setNotFoundHandler((request) => {
    const methods = allowed(request.url);
    if (methods.length > 0) addHeader(request, 'Allow', methods.join(', '));
    throw new ApiError(methods.length > 0 ? 100004 : 100003);
  });
  const respond = responder(app, config.scheme, config.fastLane);
  const respondSpecial = specialResponder({
    scheme: config.scheme,
    onBroken({ id: requestId }, error) {
      // A caller who lost a permission meanwhile is not a fault of the server.
      if (!(error instanceof ApiError) || error.status >= 500)
        log.error({ requestId, err: error }, 'response stream failed');
      else log.info({ requestId, code: error.code }, `response stream ended early: ${error.message}`);
    },
    onReaderGone: ({ id: requestId }) => log.debug({ requestId }, 'the reader of a response stream went away'),
  });
  mountHealth(app, deps);
  if (!config.roles.includes('api')) return app;
  if (deps.homeOf) sendHome(app, deps.homeOf);
  mountPublic(app, deps);
  mountWeb(app, { folder: deps.webFolder, pagesDomain: config.pagesDomain, framedBy: framedBy(deps) });
  mountConsole(app, deps.consoleFolder);
  mountCustomPages(app, { ...deps, pagesDomain: config.pagesDomain });
  const { scheme, fastLane: isFast } = config;
  const serializers = (operation: string) => ({ isFast, onStripped: logOnce(log, operation) });
  mountContract(app, { ...deps, scheme, serializers, together, onAnswer: reporters.onAnswer, respond, respondSpecial });
  return app;
}

function serverMaker({ config, log }: Pick<HttpDeps, 'config' | 'log'>, gather: (begin: () => void) => void) {
  return (handler: RequestListener): Server =>
    acceptRequests(handler, {
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize,
      connectionsCheckingInterval: 2000,
      headers: usualHeaders(config.scheme),
      proxies: config.trustProxy,
      gather,
      unread: { onEnded: (details) => log.warn(details, 'ended connections whose responses nobody read') },
    });
}

/** Logged for a status that the contract does not declare. Tests search the log for it. */
export const UNDECLARED = 'the contract does not declare this status';

/** Logged for an answer that differs from the contract. Tests search the log for it. */
export const STRIPPED = 'an answer did not have the declared members; undeclared ones were left out';

/** Logs only the first such answer of an operation, because the others have the same cause. */
function logOnce(log: HttpDeps['log'], operation: string): () => void {
  let isLogged = false;
  return () => {
    if (!isLogged) log.error({ operation }, STRIPPED);
    isLogged = true;
  };
}

/** Reported for addresses that are not part of the contract. */
const OTHER: ServedRoute = { operationId: 'other' };

type Reporters = { logFailure: ReturnType<typeof failureLog>; respondProblem: RespondProblem } & Pick<
  MountDeps,
  'onAnswer'
>;

/**
 * Records every answer when it begins to be sent: to wait for its end would cost each request more than the record does.
 */
function answerRecorder({ config, log, observe }: HttpDeps): MountDeps['onAnswer'] {
  return (request, status, { operationId: operation, statuses }) => {
    const ms = millisecondsSince(request.raw);
    observe(operation, status, ms);
    request.span?.end(endOfSpan(request, operation, status));
    if (statuses && !statuses.has(status)) log.error({ operation, status }, UNDECLARED);
    if (!config.logRequests) return;
    const tenantId = (request.principal ?? request.journey)?.tenantId;
    const { callerId, operator } = request.principal ?? {};
    const caller = operator ? { operatorId: callerId } : { apiKeyId: callerId };
    log.info({ requestId: request.id, operation, status, ms: Math.round(ms), tenantId, ...caller }, 'request');
  };
}

/** An empty condition would allow every change, and an empty search would find everything: their schemas refuse them. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(['ifLastUpdatedDtm', 'searchString']);

/** Other empty values mean "no filter". */
function readQuery(text: string): Record<string, unknown> {
  if (text === '') return {};
  const query = parseQuery(text, '&', '=', { maxKeys: MAX_QUERY_KEYS });
  for (const name of Object.keys(query)) {
    const value = query[name];
    if (NEVER_EMPTY.has(name)) continue;
    if (value === '') delete query[name];
    else if (Array.isArray(value)) query[name] = value.filter((each) => each !== '');
  }
  return query;
}

function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const whenItsTurn = longBodies();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (request.consumes) return readRawBody(request, request.consumes, bytes as Buffer, done);
    if (!isUtf8Declared(request.headers['content-type'], bytes as Buffer)) {
      return done(new ApiError(100006, { detail: 'in UTF-8' }));
    }
    const readBody = () => {
      let body: unknown;
      try {
        body = parseJsonBody(bytes as Buffer);
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    };
    if (bytes.length < LONG_BYTES) readBody();
    else whenItsTurn(request, readBody, done);
  });
  // An empty body and an empty object need no content type; many clients send a wrong one with them.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (request.consumes) return readRawBody(request, request.consumes, bytes as Buffer, done);
    done(isEmpty(bytes as Buffer) ? null : new ApiError(100006), undefined);
  });
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

/** Ensures that a reader who uses the declared charset, or any of several, reads the same text (RFC 8259, 8.1). */
function isUtf8Declared(contentType = '', bytes: Buffer): boolean {
  if (!contentType.includes(';')) return true;
  return contentType.matchAll(CHARSET).every(([, name = '']) => {
    const charset = name.toLowerCase();
    if (charset === 'utf-8' || charset === 'utf8') return true;
    // ASCII is the same in these two charsets.
    return (charset === 'us-ascii' || charset === 'iso-8859-1') && isAscii(bytes);
  });
}

const MAX_EMPTY_BYTES = 16;

function isEmpty(bytes: Buffer): boolean {
  return bytes.length <= MAX_EMPTY_BYTES && /^\s*(\{\s*\})?\s*$/.test(bytes.toString('latin1'));
}

/** Reads a body that the route receives unparsed. */
function readRawBody(
  request: FastifyRequest,
  consumes: ReadonlySet<string>,
  bytes: Buffer,
  done: (error: Error | null, body?: RawBody) => void,
): void {
  const contentType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (bytes.length > 0 && !consumes.has(contentType)) {
    done(new ApiError(100006, { detail: `or one of ${[...consumes].join(', ')}` }));
    return;
  }
  done(null, { contentType, bytes });
}

/** Runs before anything in the request is trusted. */
function limitAddresses(app: FastifyInstance, limits: Limits): void {
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      limits.ofAddress(request);
    } catch (error) {
      return done(error as Error);
    }
    done();
  });
}

function answerError(
  { logFailure, onAnswer, respondProblem }: Reporters,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = toApiError(thrown);
  const served = request.routeOptions.config?.served ?? OTHER;
  request.problemCode = error.code;
  if (error.status >= 500) logFailure(request, served.operationId, error);
  if (error.status === 401) addHeader(request, 'WWW-Authenticate', challenge(error));
  const { retryAfterSeconds } = error.detail;
  if (retryAfterSeconds) addHeader(request, 'Retry-After', String(retryAfterSeconds));
  const problem = JSON.stringify(maskProblem(toProblem(error, request.id), request.principal));
  onAnswer(request, error.status, served);
  keepConnection(request, reply);
  respondProblem(request, reply, error.status, problem);
}

/** The framework closes the connection after a faulty body, which is unnecessary if the whole body has arrived. */
function keepConnection({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) reply.removeHeader('connection');
}

function challenge(error: ApiError): string {
  if (error.code === 100054 || error.code === 100210) return 'Cookie';
  return error.code === 100008 ? 'Bearer' : 'Bearer error="invalid_token"';
}

/** Answers a request that is too broken for the framework, and closes the connection. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code =
    error.code === 'HPE_HEADER_OVERFLOW' ? 100019 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 100018 : 100001;
  const problem = toProblem(new ApiError(code), 'none');
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** The methods that an address allows; called only when no route matches. */
function allowedMethods(): (url: string) => string[] {
  const routes = operations().flatMap(({ operation: { method }, operation }) =>
    addressesOf(operation).map(({ path }) => ({ method, parts: path.split('/') })),
  );
  return (url) => {
    const parts = (url.split('?', 1)[0] ?? '').split('/', MAX_PARTS);
    const fits = (part: string, at: number) => part === parts[at] || (part.startsWith('{') && parts[at] !== '');
    const matches = routes.filter((route) => route.parts.length === parts.length && route.parts.every(fits));
    return [...new Set(matches.map(({ method }) => method))].sort();
  };
}

/** No address of ours has more parts. */
const MAX_PARTS = 30;
