import {
  type Address,
  addressesOf,
  declaredStatuses,
  type GroupedOperation,
  type GroupName,
  needsBody,
  operations,
  planned,
} from '@grove/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Db } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Context, Principal } from '../kernel/context.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import type { AllHandlers, OpenContext } from '../kernel/implement.ts';
import { bearerToken } from './bearer.ts';
import type { Idempotency } from './idempotency.ts';
import type { Limits } from './limits.ts';
import { isBadText } from './strict-json.ts';
import type { HostTenant } from './tenant.ts';

/** Serves the contract: one route for each address of each operation, guarded as its row says. */
export type MountDeps = {
  db: Db;
  clock: Clock;
  handlers: AllHandlers;
  authenticate(token: string): Principal | Promise<Principal>;
  hostTenant: HostTenant;
  idempotency: Idempotency;
  limits: Limits | undefined;
  /** Told when an answer is handed over. */
  answered(request: FastifyRequest, reply: FastifyReply, status: number): void;
};

type AnyHandler = (context: Context | OpenContext, input: unknown) => unknown;
type Route = { id: string; operation: GroupedOperation; address: Address; handler: AnyHandler | undefined };

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    operationId?: string;
    statuses?: ReadonlySet<number>;
  }
}

export function mountContract(app: FastifyInstance, deps: MountDeps): void {
  app.decorateRequest('principal', null);
  for (const { id, group, name, operation } of operations()) {
    const handler = isPlanned(group) ? undefined : handlerOf(deps.handlers, group, name);
    for (const address of addressesOf(operation)) mountOne(app, deps, { id, operation, address, handler });
  }
}

function isPlanned(group: GroupName): boolean {
  return (planned as readonly string[]).includes(group);
}

function handlerOf(handlers: AllHandlers, group: string, name: string): AnyHandler {
  const handler = (handlers as Record<string, Record<string, AnyHandler>>)[group]?.[name];
  if (!handler) throw new Error(`no handler for ${group}.${name}`);
  return handler;
}

function mountOne(app: FastifyInstance, deps: MountDeps, { id, operation, address, handler }: Route): void {
  app.route({
    method: operation.method,
    url: address.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { operationId: id, statuses: declaredStatuses(operation, handler === undefined) },
    schema: handler ? schemaOf(operation) : {},
    ...(operation.maxBodyBytes && { bodyLimit: operation.maxBodyBytes }),
    onRequest: guard(deps, operation),
    preValidation: [refuseBadParameters, ...(operation.body && !needsBody(operation) ? [missingBodyIsEmpty] : [])],
    handler: handler ? serve(deps, id, operation, handler) : notYet,
  });
}

function schemaOf(operation: GroupedOperation) {
  return {
    ...(operation.query && { querystring: operation.query }),
    ...(operation.body && { body: operation.body }),
    ...(operation.ok && { response: { [operation.status ?? 200]: operation.ok } }),
  };
}

function notYet(): never {
  throw new ApiError(100009, { detail: 'it is part of the contract and not built yet' });
}

/** Who calls, and may it? Answered before the body is read, without a promise when all is known. */
function guard({ authenticate, hostTenant, limits }: MountDeps, { permission }: GroupedOperation) {
  const admit = (request: FastifyRequest, reply: FastifyReply, principal: Principal) => {
    const named = hostTenant(request.headers.host);
    if (named !== undefined && named !== principal.tenantId) throw new ApiError(226);
    limits?.ofKey(principal.apiKeyId, reply);
    if (permission && !principal.permissions.holds(permission)) {
      throw new ApiError(7, { detail: `this needs the permission TNT#${principal.tenantId}#${permission}` });
    }
    request.principal = principal;
  };

  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    let waiting: Promise<void> | undefined;
    try {
      if (permission) {
        const principal = authenticate(bearerToken(request.headers.authorization));
        if (principal instanceof Promise) waiting = principal.then((each) => admit(request, reply, each));
        else admit(request, reply, principal);
      }
    } catch (error) {
      return done(error as Error);
    }
    if (waiting) waiting.then(() => done(), done);
    else done();
  };
}

/** Where nothing in the body is required, a client may leave it out. */
function missingBodyIsEmpty(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  request.body ??= {};
  done();
}

const MAX_PARAMETER_LENGTH = 255;

function refuseBadParameters(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  done(faultOf(request.params, '/params') ?? faultOf(request.query, '/query'));
}

function faultOf(values: unknown, prefix: string): ApiError | undefined {
  for (const [name, value] of Object.entries(values as Record<string, string | string[]>)) {
    for (const text of typeof value === 'string' ? [value] : value) {
      const pointer = `${prefix}/${name}`;
      // `/apiKeys/` is not the address of a key without a name.
      if (text === '') return new ApiError(100003);
      if (text.length > MAX_PARAMETER_LENGTH) {
        return invalidInput({ pointer, message: `must have at most ${MAX_PARAMETER_LENGTH} characters` });
      }
      if (isBadText(text)) return invalidInput({ pointer, message: 'must not hold NUL or half of a surrogate pair' });
    }
  }
  return undefined;
}

function serve(deps: MountDeps, id: string, operation: GroupedOperation, handler: AnyHandler) {
  const status = operation.status ?? 200;
  const creates = status === 201;

  const answer = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const input = { params: request.params, query: request.query, body: request.body };
    const { principal } = request;
    if (!principal) return handler(openContext(deps, request), input);
    const context: Context = {
      tenantId: principal.tenantId,
      principal,
      db: deps.db.of(principal.tenantId),
      now: deps.clock.now(),
      requestId: request.id,
    };
    const key = creates ? request.headers['idempotency-key'] : undefined;
    if (typeof key !== 'string') return handler(context, input);

    const handle = async (within: Context) => handler(within, input);
    return deps.idempotency({ operation: id, key, context, fingerprint: input, handle }).then(({ body, replayed }) => {
      if (replayed) reply.header('Idempotent-Replayed', 'true');
      return body;
    });
  };

  // Not an async function: each promise between the handler and the answer costs every request.
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const send = (body: unknown) => {
      reply.code(status).send(status === 204 ? undefined : body);
      deps.answered(request, reply, status);
    };
    const fail = (error: unknown) => {
      reply.send(error);
    };
    let result: unknown;
    try {
      result = answer(request, reply);
    } catch (error) {
      fail(error);
      return;
    }
    if (result instanceof Promise) result.then(send).catch(fail);
    else send(result);
  };
}

function openContext({ hostTenant }: MountDeps, request: FastifyRequest): OpenContext {
  return {
    hostTenant: hostTenant(request.headers.host),
    address: request.ip,
    requestId: request.id,
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(',') : value;
    },
  };
}
