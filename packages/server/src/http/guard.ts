import type { Socket } from 'node:net';
import type { GroupedOperation } from '@grove/contract';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Credential, Principal } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { bearerToken } from './bearer.ts';
import type { Limits } from './limits.ts';
import type { HostTenant } from './tenant.ts';

/** Who calls, and may it? Answered before the body is read, and without a promise when all is known. */
export type GuardDeps = {
  authenticate(token: string): Credential | Promise<Credential>;
  hostTenant: HostTenant;
  limits: Limits | undefined;
};

export type Guard = (
  operation: GroupedOperation,
) => (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** What the last request on a connection showed. Most clients show the same again, and it need not be looked up. */
type Shown = { authorization: string; host: string | undefined; named: TenantId | undefined; credential: Credential };

export function guards({ authenticate, hostTenant, limits }: GuardDeps): Guard {
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

  return ({ permission }) => {
    if (!permission) return (_request, _reply, done) => done();

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
