import type { Socket } from 'node:net';
import type { GroupedOperation, Permission } from '@grove/contract';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Credential, JourneyPrincipal, Principal } from '../kernel/context.ts';
import { cookieOf } from '../kernel/cookie-of.ts';
import { ApiError } from '../kernel/errors.ts';
import { ID_PATTERN, type TenantId } from '../kernel/ids.ts';
import { bearerToken } from './bearer.ts';
import { journeyCookieName } from './journey-cookie.ts';
import type { Limits } from './limits.ts';
import { ensureOwnPage } from './own-pages.ts';
import type { HostTenant } from './tenant.ts';

/** Who calls, and may it? Answered before the body is read, and without a promise when all is known. */
export type GuardDeps = {
  authenticate(token: string): Credential | Promise<Credential>;
  /** Whose cookie this is; refuses with 100054. */
  journeySession(instanceId: string, cookieValue: string): Promise<JourneyPrincipal>;
  scheme: 'http' | 'https';
  hostTenant: HostTenant;
  limits: Limits | undefined;
};

export type Guard = (operation: GroupedOperation) => Check;
type Check = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** What the last request on a connection showed. Most clients show the same again, and it need not be looked up. */
type Shown = { authorization: string; host: string | undefined; named: TenantId | undefined; credential: Credential };

export function guards(deps: GuardDeps): Guard {
  const withBearer = bearerGuard(deps);
  const withCookie = cookieGuard(deps);
  const withNothing = openGuard(deps);
  return (operation) => {
    if (operation.permission) return withBearer(operation.permission);
    return operation.auth === 'journey' ? withCookie(operation) : withNothing(operation);
  };
}

/** Rows that say so change something for a browser, and take it from our own pages alone. */
function isOfOwnPages({ method, codes = [] }: GroupedOperation): boolean {
  return method !== 'GET' && codes.includes(100067);
}

function openGuard({ limits }: GuardDeps): Guard {
  return (operation) => {
    if (!isOfOwnPages(operation)) return (_request, _reply, done) => done();
    return (request, _reply, done) => {
      try {
        limits?.ofNewSession(request);
        ensureOwnPage(request);
      } catch (error) {
        return done(error as Error);
      }
      done();
    };
  };
}

/** The end user of one journey. A bearer token opens nothing here, as the cookie opens nothing elsewhere. */
function cookieGuard({ journeySession, hostTenant, scheme, limits }: GuardDeps): Guard {
  return (operation) => {
    const ofOwnPages = isOfOwnPages(operation);

    const enter = async (request: FastifyRequest): Promise<void> => {
      if (ofOwnPages) ensureOwnPage(request);
      const { processInstanceId = '' } = request.params as { processInstanceId?: string };
      if (!ID_PATTERN.test(processInstanceId)) throw new ApiError(100054);
      const cookie = cookieOf(request.headers.cookie, journeyCookieName(scheme, processInstanceId));
      if (cookie === undefined) throw new ApiError(100054);
      const named = hostTenant(request.headers.host);
      const principal = await journeySession(processInstanceId, cookie);
      if (named !== undefined && named !== principal.tenantId) throw new ApiError(100054);
      if (operation.consumes) limits?.ofUpload(principal.sessionId, request);
      request.journey = principal;
    };

    return (request, _reply, done) => {
      enter(request).then(() => done(), done);
    };
  };
}

function bearerGuard({ authenticate, hostTenant, limits }: GuardDeps): (permission: Permission) => Check {
  const shown = new WeakMap<Socket, Shown>();

  const identify = (request: FastifyRequest): Shown | Promise<Shown> => {
    const { authorization, host } = request.headers;
    const { socket } = request.raw;
    const last = shown.get(socket);
    if (last && last.authorization === authorization && last.host === host) return last;
    const token = bearerToken(authorization);
    const named = hostTenant(host);
    const remember = (credential: Credential): Shown => {
      const now = { authorization: authorization as string, host, named, credential };
      shown.set(socket, now);
      return now;
    };
    const credential = authenticate(token);
    return credential instanceof Promise ? credential.then(remember) : remember(credential);
  };

  return (permission) => {
    const admit = (request: FastifyRequest, { named }: Shown, principal: Principal): void => {
      if (named !== undefined && named !== principal.tenantId) throw new ApiError(226);
      limits?.ofKey(principal.apiKeyId, request);
      if (!principal.permissions.holds(permission)) {
        throw new ApiError(7, { detail: `this needs the permission TNT#${principal.tenantId}#${permission}` });
      }
      request.principal = principal;
    };

    const enter = (request: FastifyRequest, caller: Shown): Promise<void> | undefined => {
      const principal = caller.credential.principal();
      if (principal instanceof Promise) return principal.then((each) => admit(request, caller, each));
      admit(request, caller, principal);
      return undefined;
    };

    return (request, _reply, done) => {
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
