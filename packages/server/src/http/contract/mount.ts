import type { Readable } from 'node:stream';
import {
  type Address,
  addressesOf,
  declaredStatuses,
  type GroupedOperation,
  type GroupName,
  needsBody,
  operations,
} from '@grove/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { SpecialAnswer } from '../../kernel/answers.ts';
import type { JourneyPrincipal, Principal } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { AllHandlers, RawBody } from '../../kernel/implement.ts';
import { DEFAULT_PAGE_SIZE } from '../../kernel/pages.ts';
import type { Respond } from '../fast/respond.ts';
import type { RespondSpecial } from '../fast/respond-special.ts';
import { serializerOf } from '../fast/serialize.ts';
import type { Together } from '../fast/serve-together.ts';
import { type AnswerDeps, type AnyHandler, answerRoute, type Route } from './answer-request.ts';
import { type ChangeLog, type Handle, withAudit, withOperatorAudit } from './audit-change.ts';
import { type BodyRoom, type BodyRoomOptions, bodyRoom } from './body-room.ts';
import { type CheckMembersDeps, checkMembers } from './check-members.ts';
import { type GuardDeps, guardsAroundBodies } from './guard.ts';
import { hideLiveAuthors } from './live-authors.ts';
import { maskPersons } from './mask-persons.ts';
import { pageTurns, WrittenPage } from './serve-pages.ts';

/** Serves the contract: one route for each address of each operation, with the guards that the operation declares. */
export type MountDeps = Omit<AnswerDeps, 'inLine'> &
  GuardDeps &
  CheckMembersDeps &
  BodyRoomOptions &
  ChangeLog & {
    handlers: AllHandlers;
    /** Counts the persons that API keys read, and refuses keys that have read too many. */
    readBudget: { admit(principal: Principal, expected: number): SettleReads | Promise<SettleReads> };
    respond: Respond;
    together: Together;
    respondSpecial: RespondSpecial;
    /** Called when an answer begins to be sent. */
    onAnswer(request: FastifyRequest, status: number, served: ServedRoute): void;
  };

/** Called once, with the number of persons that the answer shows. */
export type SettleReads = (personCount: number) => void;

/** The operation of a route, and the statuses with which it may answer. */
export type ServedRoute = { readonly operationId: string; readonly statuses?: ReadonlySet<number> };

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
    journey: JourneyPrincipal | null;
    /** When its caller was admitted, before the body was read. */
    guardedAt: number;
    /** The content types whose bodies its route receives unparsed. */
    consumes: ReadonlySet<string> | null;
    /** The code of the problem in its answer. Hooks of the tests read it. */
    problemCode: number | null;
  }
  interface FastifyContextConfig {
    served?: ServedRoute;
  }
}

export function mountContract(app: FastifyInstance, deps: MountDeps): void {
  app.decorateRequest('principal', null);
  app.decorateRequest('journey', null);
  app.decorateRequest('guardedAt', 0);
  app.decorateRequest('consumes', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('response', null);
  const shared = {
    ...deps,
    inLine: pageTurns(deps.db.engine),
    room: bodyRoom(deps),
  };
  const guard = guardsAroundBodies(deps);
  for (const { id, group, name, operation } of operations()) {
    const own = handlerOf(deps.handlers, group, name);
    // The masks come last, so that the audit log records unmasked changes.
    const handler = hideLiveAuthors(maskPersons(withRecord(own, operation, deps), operation), operation);
    for (const address of addressesOf(operation)) mountOne(app, shared, guard, { id, operation, address, handler });
  }
}

function withRecord(handler: AnyHandler, { audit, auditOperators }: GroupedOperation, log: ChangeLog): AnyHandler {
  if (audit) return withAudit(handler as Handle, audit, log) as AnyHandler;
  return auditOperators ? (withOperatorAudit(handler as Handle, auditOperators, log) as AnyHandler) : handler;
}

function handlerOf(handlers: AllHandlers, group: GroupName, name: string): AnyHandler {
  const handler = (handlers as unknown as Record<string, Record<string, AnyHandler>>)[group]?.[name];
  if (!handler) throw new Error(`no handler for ${group}.${name}`);
  return handler;
}

function mountOne(
  app: FastifyInstance,
  deps: MountDeps & AnswerDeps & { room: BodyRoom },
  guard: ReturnType<typeof guardsAroundBodies>,
  route: Route & { address: Address },
): void {
  const { id, operation, address } = route;
  const served = { operationId: id, statuses: declaredStatuses(operation) };
  const bodyLimit = bodyLimitOf(operation);
  const { before, after } = guard(operation);
  app.route({
    method: operation.method,
    url: address.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { served },
    schema: schemaOf(operation),
    bodyLimit,
    onRequest: [
      before,
      ...(operation.method === 'GET' ? [] : [deps.room(bodyLimit)]),
      ...(operation.consumes ? [setConsumes(operation.consumes)] : []),
    ],
    preValidation: [
      ...(operation.method === 'GET' ? [] : [after]),
      ...(operation.body && !needsBody(operation) ? [missingBodyIsEmpty] : []),
      ...(operation.consumes ? [missingBodyIsNoBytes] : []),
      checkMembers(deps, id, operation),
    ],
    handler: serve(deps, served, route),
  });
}

export const MAX_BODY_BYTES = 1024 * 1024;
/** The limit for bodies without a credential: parsing a mebibyte of JSON takes a tenth of a second. */
const MAX_PUBLIC_BODY_BYTES = 64 * 1024;

function bodyLimitOf({ maxBodyBytes, auth }: GroupedOperation): number {
  return maxBodyBytes ?? (auth === 'public' || auth === 'apiKey' ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES);
}

function schemaOf(operation: GroupedOperation) {
  return {
    ...(operation.query && { querystring: operation.query }),
    ...(operation.body && { body: operation.body }),
  };
}

/** A client may omit a body in which nothing is required. */
function missingBodyIsEmpty(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  request.body ??= {};
  done();
}

function setConsumes(types: readonly string[]) {
  const consumes = new Set(types);
  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    request.consumes = consumes;
    done();
  };
}

const NO_BYTES: RawBody = { contentType: '', bytes: Buffer.alloc(0) };

/** The handler decides whether an empty body is allowed, because this fault has its own code. */
function missingBodyIsNoBytes(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  request.body ??= NO_BYTES;
  done();
}

function serve(deps: MountDeps & AnswerDeps, served: ServedRoute, route: Route) {
  const { status = 200, persons, ok } = route.operation;
  const serialize = ok && serializerOf(ok, deps.serializers(route.id));
  const answer = answerRoute(deps, route);
  // Not an async function: each promise between the handler and the answer costs every request.
  return (request: FastifyRequest, reply: FastifyReply): void => {
    let settleReads: SettleReads | undefined;
    const fail = (error: unknown) => {
      const isShown = error instanceof ApiError && error.detail.user !== undefined;
      settleReads?.(isShown ? 1 : 0);
      if (isShown && !settleReads) countRefused(deps, request, error).then((refusal) => reply.send(refusal));
      else reply.send(error);
    };
    const send = (body: unknown) => {
      try {
        settleReads?.(personsIn(body, persons));
        if (body instanceof SpecialAnswer) {
          const onSent = () => deps.onAnswer(request, status, served);
          deps.respondSpecial(request, reply, { status, answer: body, serialize, onSent, fail });
          return;
        }
        deps.respond(request, reply, status, body instanceof WrittenPage ? body.parts : serialize?.(body));
      } catch (error) {
        if (body instanceof SpecialAnswer && body.kind === 'stream') (body.body as Readable).destroy();
        fail(error);
        return;
      }
      deps.onAnswer(request, status, served);
    };
    const handle = (admitted: SettleReads | undefined) => {
      let result: unknown;
      settleReads = admitted;
      try {
        result = answer(request);
      } catch (error) {
        fail(error);
        return;
      }
      if (result instanceof Promise) result.then(send, fail);
      else send(result);
    };
    const inOrder = () => admitReads(deps, request, persons, { handle, fail });
    deps.together.serve(request.span ? () => request.span?.run(inOrder) : inOrder);
  };
}

type Persons = GroupedOperation['persons'];
type ReadHandlers = { handle(settleReads: SettleReads | undefined): void; fail(error: unknown): void };

/** Ensures that the caller may read more persons. It waits only if the key is new to this server. */
function admitReads(
  { readBudget }: Pick<MountDeps, 'readBudget'>,
  request: FastifyRequest,
  persons: Persons,
  { handle, fail }: ReadHandlers,
): void {
  const { principal } = request;
  try {
    const admitted = persons && principal && readBudget.admit(principal, personsAskedFor(request, persons));
    if (admitted instanceof Promise) admitted.then(handle, fail);
    else handle(admitted ?? undefined);
  } catch (error) {
    fail(error);
  }
}

/**
 * A refused authentication shows the user although the person may be absent, so it counts as a read. A caller who may read
 * no more persons gets the refusal without the user.
 */
async function countRefused(
  { readBudget }: Pick<MountDeps, 'readBudget'>,
  { principal }: FastifyRequest,
  error: ApiError,
): Promise<ApiError> {
  try {
    if (principal) (await readBudget.admit(principal, 1))(1);
    return error;
  } catch {
    const { user: _user, ...detail } = error.detail;
    return new ApiError(error.code, detail);
  }
}

/** The highest number of persons that the answer can show. */
function personsAskedFor({ query }: FastifyRequest, persons: Persons): number {
  return persons === 'each' ? ((query as { size?: number }).size ?? DEFAULT_PAGE_SIZE) : 1;
}

/** A page shows the persons that it lists, an archive says how many it holds, and any other answer shows one. */
function personsIn(body: unknown, persons: Persons): number {
  if (persons === 'each' && body instanceof SpecialAnswer && body.persons !== undefined) return body.persons;
  const view = body instanceof SpecialAnswer ? body.body : body instanceof WrittenPage ? body.page : body;
  if (persons !== 'each') return 1;
  const { content, totalElements = 0, links, candidates } = view as PersonList;
  // A page after the last one still reveals `totalElements`, and so whether a guess was right.
  if (content) return content.length === 0 && totalElements > 0 ? 1 : content.length;
  // An empty answer reveals something about one person, too: that it is on no list, or linked to nobody.
  return Math.max(1, (links ?? candidates ?? []).length);
}

type PersonList = { totalElements?: number } & Partial<Record<'content' | 'links' | 'candidates', readonly unknown[]>>;
