import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { GroupedOperation, Permission } from '@grove/contract';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { type Clock, MINUTE, SECOND } from '../../kernel/clock.ts';
import type { Credential, JourneyPrincipal, Principal } from '../../kernel/context.ts';
import { cookieOf } from '../../kernel/cookie-of.ts';
import { ApiError } from '../../kernel/errors.ts';
import { ID_PATTERN, type TenantId } from '../../kernel/ids.ts';
import type { TestVolume } from '../../kernel/test-volume.ts';
import type { HostTenant } from '../tenant.ts';
import { journeyCookieName } from './journey-cookie.ts';
import type { Limits } from './limits.ts';
import { operatorCookieName } from './operator-cookie.ts';

/** Authenticates the caller and checks its permission before the body is read; without a promise if everything is cached. */
export type GuardDeps = {
  authenticate(token: string): Credential | Promise<Credential>;
  /** The session of the journey that the cookie belongs to; refuses with 100054. */
  journeySession(instanceId: string, cookieValue: string): Promise<JourneyPrincipal>;
  /** The operator that the cookie belongs to; refuses with 100210, and with 100221 if the operator may not work in the environment. */
  operatorSession(tenantId: TenantId, cookieValue: string, environment: string | undefined): Promise<Principal>;
  clock: Clock;
  scheme: 'http' | 'https';
  hostTenant: HostTenant;
  limits: Limits | undefined;
  testVolume: TestVolume | undefined;
};

type Guard = (operation: GroupedOperation) => Check;
type Check = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** The credential of the last request on a connection. Most clients send the same again, which saves a look-up. */
type ConnectionCaller = {
  authorization: string;
  host: string | undefined;
  hostTenantId: TenantId | undefined;
  credential: Credential;
  /** Undefined until a request was admitted. */
  tenantId?: TenantId;
};

const callers = new WeakMap<Socket, ConnectionCaller>();

/** The tenant whose token was admitted on this connection before, if the request sends the same token. */
export function tenantOfConnection({ socket, headers }: IncomingMessage): TenantId | undefined {
  const last = callers.get(socket);
  return last !== undefined && last.authorization === headers.authorization ? last.tenantId : undefined;
}

function guards(deps: GuardDeps): Guard {
  const withOperator = operatorGuard(deps);
  const withBearer = bearerGuard(deps, withOperator);
  const withCookie = cookieGuard(deps);
  const withNothing = openGuard(deps);
  return (operation) => {
    if (operation.permission) return withBearer(operation, operation.permission);
    if (operation.auth === 'operator') return byOperator(withOperator(operation));
    return operation.auth === 'journey' ? withCookie(operation) : withNothing(operation);
  };
}

/** If a body takes longer, its caller may have been blocked meanwhile. */
const SLOW_BODY_MS = SECOND;

/**
 * Checks a request with a body twice: before the body is read, and again if reading took long. Otherwise a caller who holds
 * back the last byte could still act for half a minute after a key was blocked or an operator was removed. The second check
 * does not count towards a limit.
 */
export function guardsAroundBodies(deps: GuardDeps): (operation: GroupedOperation) => { before: Check; after: Check } {
  const { clock } = deps;
  const first = guards(deps);
  const second = guards({ ...deps, limits: undefined, testVolume: undefined });
  return (operation) => {
    const [check, checkAgain] = [first(operation), second(operation)];
    return {
      before(request, reply, done) {
        request.guardedAt = clock.now();
        check(request, reply, done);
      },
      after(request, reply, done) {
        if (Math.abs(clock.now() - request.guardedAt) < SLOW_BODY_MS) done();
        else checkAgain(request, reply, done);
      },
    };
  };
}

/** Operations that a browser calls with a cookie accept requests from our own pages only (CSRF). */
function isOfOwnPages({ method, codes = [] }: GroupedOperation): boolean {
  return method !== 'GET' && codes.includes(100067);
}

function openGuard({ limits, scheme }: GuardDeps): Guard {
  return (operation) => {
    if (!isOfOwnPages(operation)) return (_request, _reply, done) => done();
    return (request, _reply, done) => {
      try {
        limits?.ofNewSession(request);
        ensureOwnPage(request, scheme);
      } catch (error) {
        return done(error as Error);
      }
      done();
    };
  };
}

/** Admits the end user of one journey. A bearer token is not valid here, as the cookie is not valid elsewhere. */
function cookieGuard({ journeySession, hostTenant, scheme, limits }: GuardDeps): Guard {
  return (operation) => {
    const ofOwnPages = isOfOwnPages(operation);

    const enter = async (request: FastifyRequest): Promise<void> => {
      if (ofOwnPages) ensureOwnPage(request, scheme);
      const { processInstanceId = '' } = request.params as { processInstanceId?: string };
      if (!ID_PATTERN.test(processInstanceId)) throw new ApiError(100054);
      const cookie = cookieOf(request.headers.cookie, journeyCookieName(scheme, processInstanceId));
      if (cookie === undefined) throw new ApiError(100054);
      const hostTenantId = hostTenant(request.headers.host);
      const principal = await journeySession(processInstanceId, cookie);
      if (hostTenantId !== undefined && hostTenantId !== principal.tenantId) throw new ApiError(100054);
      if (operation.consumes) limits?.ofUpload(principal.sessionId, request);
      request.journey = principal;
    };

    return (request, _reply, done) => {
      enter(request).then(() => done(), done);
    };
  };
}

/** How long after using the passkey an operator may do something destructive. */
const FRESH_MS = 10 * MINUTE;

type Admit = (request: FastifyRequest) => Promise<Principal>;

type OperatorGuard = (operation: GroupedOperation, permission?: Permission) => Admit;

/** Admits an operator by the cookie of a session, only at the address of the tenant and only from our own pages (CSRF). */
function operatorGuard({ operatorSession, hostTenant, scheme, clock, limits, testVolume }: GuardDeps): OperatorGuard {
  return ({ destructive }, permission) =>
    async (request) => {
      ensureOwnPage(request, scheme);
      const { host, cookie } = request.headers;
      const tenantId = hostTenant(host);
      const value = cookieOf(cookie, operatorCookieName(scheme));
      if (tenantId === undefined || value === undefined) throw new ApiError(100210);
      const environment = request.headers['x-grove-environment'];
      const principal = await operatorSession(
        tenantId,
        value,
        environment === undefined ? undefined : String(environment),
      );
      limits?.ofKey(principal.callerId, request);
      if (permission) ensureHolds(principal, permission);
      admitVolume(testVolume, principal, request);
      // A sign-in in the future was recorded by a wrong clock, so it does not count.
      const isFresh = Math.abs(clock.now() - (principal.operator?.authenticatedAt ?? 0)) < FRESH_MS;
      if (destructive && !isFresh) throw new ApiError(100211);
      return principal;
    };
}

function byOperator(admit: Admit): Check {
  return (request, _reply, done) => {
    admit(request).then(
      (principal) => {
        request.principal = principal;
        done();
      },
      (error) => done(error),
    );
  };
}

function ensureHolds({ permissions, tenantId }: Principal, permission: Permission): void {
  if (permissions.holds(permission)) return;
  throw new ApiError(7, { detail: `this needs the permission TNT#${tenantId}#${permission}` });
}

const STORES_NOTHING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

/** Counts the body before it is read. One without a length counts as the longest. */
function admitVolume(volume: TestVolume | undefined, principal: Principal, request: FastifyRequest): void {
  const { method, headers, routeOptions } = request;
  if (principal.environment === 'live' || STORES_NOTHING.has(method)) return;
  const { bodyLimit } = routeOptions;
  const bytes = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bodyLimit;
  // A body that is too long is refused unread.
  volume?.admit(principal, bytes > bodyLimit ? 0 : bytes);
}

type BearerGuard = (operation: GroupedOperation, permission: Permission) => Check;

function bearerGuard(
  { authenticate, hostTenant, limits, testVolume, scheme }: GuardDeps,
  withOperator: OperatorGuard,
): BearerGuard {
  const cookieName = operatorCookieName(scheme);

  const identify = (request: FastifyRequest): ConnectionCaller | Promise<ConnectionCaller> => {
    const { authorization, host } = request.headers;
    const { socket } = request.raw;
    const last = callers.get(socket);
    if (last && last.authorization === authorization && last.host === host) return last;
    const token = bearerToken(authorization);
    const hostTenantId = hostTenant(host);
    const remember = (credential: Credential): ConnectionCaller => {
      const now = { authorization: authorization as string, host, hostTenantId, credential };
      callers.set(socket, now);
      return now;
    };
    const credential = authenticate(token);
    return credential instanceof Promise ? credential.then(remember) : remember(credential);
  };

  return (operation, permission) => {
    const admit = (request: FastifyRequest, caller: ConnectionCaller, principal: Principal): void => {
      if (caller.hostTenantId !== undefined && caller.hostTenantId !== principal.tenantId) throw new ApiError(226);
      caller.tenantId = principal.tenantId;
      limits?.ofKey(principal.callerId, request);
      ensureHolds(principal, permission);
      admitVolume(testVolume, principal, request);
      request.principal = principal;
    };

    const enter = (request: FastifyRequest, caller: ConnectionCaller): Promise<void> | undefined => {
      const principal = caller.credential.principal();
      if (principal instanceof Promise) return principal.then((each) => admit(request, caller, each));
      admit(request, caller, principal);
      return undefined;
    };

    const enterAsOperator = byOperator(withOperator(operation, permission));

    return (request, reply, done) => {
      const { authorization, cookie } = request.headers;
      if (authorization === undefined && cookieOf(cookie, cookieName) !== undefined) {
        enterAsOperator(request, reply, done);
        return;
      }
      let waiting: Promise<void> | undefined;
      try {
        const caller = identify(request);
        waiting = caller instanceof Promise ? caller.then((each) => enter(request, each)) : enter(request, caller);
      } catch (error) {
        done(error as Error);
        return;
      }
      if (waiting) waiting.then(() => done(), done);
      else done();
    };
  };
}

/** The token of `Authorization: Bearer <token>` (RFC 6750). */
function bearerToken(authorization: string | undefined): string {
  if (!authorization) throw new ApiError(100008, { detail: 'send Authorization: Bearer <token>' });
  if (authorization.startsWith('Bearer ')) return authorization.slice(7);
  const match = /^bearer +(.*)$/i.exec(authorization);
  if (!match) throw new ApiError(100008, { detail: 'the Authorization header must be of the scheme Bearer' });
  return match[1] as string;
}

/**
 * Ensures that a request which changes something with a cookie comes from our own pages (CSRF). Browsers send the origin of
 * a page in headers that no page can write. A client that sends none of them is not a browser, so its cookie is its own.
 */
function ensureOwnPage({ headers }: FastifyRequest, scheme: 'http' | 'https'): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ApiError(100067);
  const { origin, host } = headers;
  if (origin === undefined) return;
  const own = URL.parse(`${scheme}://${host}`)?.origin;
  if (own !== undefined && URL.parse(origin)?.origin === own) return;
  throw new ApiError(100067, { detail: `the request has the origin of another page; GROVE_SCHEME is ${scheme}` });
}
