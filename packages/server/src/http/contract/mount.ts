import { createHash } from 'node:crypto';
import {
  type Address,
  addressesOf,
  declaredStatuses,
  type GroupedOperation,
  type GroupName,
  needsBody,
  operations,
  takesIdempotencyKey,
} from '@grove/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Db } from '../../db/db.ts';
import { fromStored, SpecialAnswer, toStored } from '../../kernel/answers.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Context, JourneyContext, JourneyPrincipal, Principal } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { AllHandlers, OpenContext, RawBody } from '../../kernel/implement.ts';
import { ROWS_AT_ONCE } from '../../kernel/in-slices.ts';
import { isBadText } from '../../kernel/json-fault.ts';
import { DEFAULT_PAGE_SIZE } from '../../kernel/pages.ts';
import { addHeader, type Respond } from '../fast/respond.ts';
import type { RespondSpecial } from '../fast/respond-special.ts';
import { serializerOf } from '../fast/serialize.ts';
import type { Together } from '../fast/serve-together.ts';
import { networkOf } from '../limit-connections.ts';
import { auditing, type Handle, type RecordChange } from './audit-change.ts';
import { type BodyRoom, type BodyRoomOptions, bodyRoom } from './body-room.ts';
import { type CheckMembersDeps, checkMembers } from './check-members.ts';
import { type Guard, type GuardDeps, guards } from './guard.ts';
import type { Idempotency } from './idempotency.ts';
import { pageTurns, pageWriter, type TakeTurn, WrittenPage } from './serve-pages.ts';

/** Serves the contract: one route for each address of each operation, guarded as its row says. */
export type MountDeps = GuardDeps &
  CheckMembersDeps &
  BodyRoomOptions & {
    db: Db;
    clock: Clock;
    handlers: AllHandlers;
    idempotency: Idempotency;
    /** Writes a change of the configuration into the audit log, in its transaction. */
    recordChange: RecordChange;
    /** Counts the persons that API keys read, and refuses keys that have read too many. */
    readBudget: { admit(principal: Principal, expected: number): SettleReads | Promise<SettleReads> };
    respond: Respond;
    /** False if GROVE_FAST_LANE is off. */
    isFast: boolean;
    together: Together;
    respondSpecial: RespondSpecial;
    /** Called when an answer is handed over. */
    onAnswer(request: FastifyRequest, status: number, served: Served): void;
  };

/** Called once, with the number of persons that the answer shows. */
export type SettleReads = (personCount: number) => void;

/** What is served at a route, and with which statuses it may answer. */
export type Served = { readonly operationId: string; readonly statuses?: ReadonlySet<number> };

type AnyHandler = ((context: Context | OpenContext | JourneyContext, input: unknown) => unknown) & {
  prepare?(context: Context, input: unknown): Promise<(within: Context) => unknown>;
};
type Route = { id: string; operation: GroupedOperation; address: Address; handler: AnyHandler };

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
    journey: JourneyPrincipal | null;
    /** The content types that its route takes as they are. */
    consumes: ReadonlySet<string> | null;
    /** The code of the problem that it was answered with. Hooks of the tests read it. */
    problemCode: number | null;
  }
  interface FastifyContextConfig {
    served?: Served;
  }
}

export function mountContract(app: FastifyInstance, deps: MountDeps): void {
  app.decorateRequest('principal', null);
  app.decorateRequest('journey', null);
  app.decorateRequest('consumes', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('response', null);
  const shared = {
    ...deps,
    inLine: pageTurns(deps.db.engine),
    room: bodyRoom(deps),
  };
  const guard = guards(deps);
  for (const { id, group, name, operation } of operations()) {
    const own = handlerOf(deps.handlers, group, name);
    const { audit } = operation;
    const handler = audit ? (auditing(own as Handle, audit, deps.recordChange) as AnyHandler) : own;
    for (const address of addressesOf(operation)) mountOne(app, shared, guard, { id, operation, address, handler });
  }
}

function handlerOf(handlers: AllHandlers, group: GroupName, name: string): AnyHandler {
  const handler = (handlers as unknown as Record<string, Record<string, AnyHandler>>)[group]?.[name];
  if (!handler) throw new Error(`no handler for ${group}.${name}`);
  return handler;
}

function mountOne(
  app: FastifyInstance,
  deps: MountDeps & { inLine: TakeTurn; room: BodyRoom },
  guard: Guard,
  { id, operation, address, handler }: Route,
): void {
  const served = { operationId: id, statuses: declaredStatuses(operation) };
  const bodyLimit = bodyLimitOf(operation);
  app.route({
    method: operation.method,
    url: address.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { served },
    schema: schemaOf(operation),
    bodyLimit,
    onRequest: [
      guard(operation),
      ...(operation.method === 'GET' ? [] : [deps.room(bodyLimit)]),
      ...(operation.consumes ? [consuming(operation.consumes)] : []),
    ],
    preValidation: [
      ...(operation.body && !needsBody(operation) ? [missingBodyIsEmpty] : []),
      ...(operation.consumes ? [missingBodyIsNoBytes] : []),
      checkMembers(deps, id, operation),
    ],
    handler: serve(deps, served, operation, handler),
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

/** Where nothing in the body is required, a client may leave it out. */
function missingBodyIsEmpty(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  request.body ??= {};
  done();
}

function consuming(types: readonly string[]) {
  const consumes = new Set(types);
  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    request.consumes = consumes;
    done();
  };
}

const NO_BYTES: RawBody = { contentType: '', bytes: Buffer.alloc(0) };

/** The handler decides whether an empty body is allowed, because that fault has a code of its own. */
function missingBodyIsNoBytes(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  request.body ??= NO_BYTES;
  done();
}

const MAX_PARAMETER_LENGTH = 255;
/** A key id of UAF has at most 2,048 bytes, which are base64url in an address. */
const LONGER: Readonly<Record<string, number>> = { keyId: 2731 };

/** The fault of a parameter in the path or the query, which the schemas do not see. */
function parameterFault({ params, query }: FastifyRequest): ApiError | undefined {
  return faultOf(params, '/params') ?? faultOf(query, '/query');
}

function faultOf(values: unknown, prefix: string): ApiError | undefined {
  const parameters = values as Record<string, unknown>;
  for (const name in parameters) {
    const value = parameters[name];
    const most = LONGER[name] ?? MAX_PARAMETER_LENGTH;
    const faultIn = (text: unknown) => textFault(text, most);
    const fault = Array.isArray(value) ? value.map(faultIn).find(Boolean) : faultIn(value);
    if (fault === NO_TEXT) return new ApiError(100003);
    if (fault) return invalidInput({ pointer: `${prefix}/${name}`, message: fault });
  }
  return undefined;
}

const NO_TEXT = 'must not be empty';

function textFault(text: unknown, most: number): string | undefined {
  if (typeof text !== 'string') return undefined;
  // `/apiKeys/` is not the address of a key without a name.
  if (text === '') return NO_TEXT;
  if (text.length > most) return `must have at most ${most} characters`;
  return isBadText(text) ? 'must not hold NUL or half of a surrogate pair' : undefined;
}

function serve(
  deps: MountDeps & { inLine: TakeTurn },
  served: Served,
  operation: GroupedOperation,
  handler: AnyHandler,
) {
  const status = operation.status ?? 200;
  const takesKey = takesIdempotencyKey(operation);
  const { persons } = operation;
  const serialize = operation.ok && serializerOf(operation.ok, deps.isFast);
  const writePage = operation.method === 'GET' ? pageWriter(operation.ok, deps.isFast) : undefined;
  const writeIfLong = (page: unknown) => {
    const { content } = page as { content?: readonly unknown[] };
    return writePage && content && content.length > ROWS_AT_ONCE ? writePage({ ...(page as object), content }) : page;
  };

  const answer = (request: FastifyRequest): unknown => {
    const fault = parameterFault(request);
    if (fault) throw fault;
    const input = { params: request.params, query: request.query, body: request.body };
    const { principal } = request;
    if (!principal) return handler(contextWithoutBearer(deps, request), input);
    const context: Context = {
      tenantId: principal.tenantId,
      principal,
      db: deps.db.of(principal.tenantId),
      now: deps.clock.now(),
      requestId: request.id,
      accept: request.headers.accept,
    };
    const key = takesKey ? request.headers['idempotency-key'] : undefined;
    if (typeof key !== 'string') {
      const rows = (writePage && (request.query as { size?: number }).size) || DEFAULT_PAGE_SIZE;
      // An ordinary page costs as much as any small read, and waits for nobody.
      if (rows <= ROWS_AT_ONCE) return handler(context, input);
      return deps.inLine(context.tenantId, rows, async () => writeIfLong(await handler(context, input)));
    }

    const once = async (handle: (within: Context) => unknown) => {
      const { operationId } = served;
      const fingerprint = operation.consumes ? { ...input, body: digestOf(request.body as RawBody) } : input;
      const { body, replayed } = await deps.idempotency({
        operation: operationId,
        key,
        context,
        fingerprint,
        handle: async (within) => toStored(await handle(within)),
      });
      if (replayed) addHeader(request, 'Idempotent-Replayed', 'true');
      return fromStored(body, status);
    };
    return handler.prepare ? handler.prepare(context, input).then(once) : once((within) => handler(within, input));
  };

  // Not an async function: each promise between the handler and the answer costs every request.
  return (request: FastifyRequest, reply: FastifyReply): void => {
    let settleReads: SettleReads | undefined;
    const fail = (error: unknown) => {
      settleReads?.(0);
      reply.send(error);
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
type Admitted = { handle(settleReads: SettleReads | undefined): void; fail(error: unknown): void };

/** Waits only if the key is new to this server. */
function admitReads(
  { readBudget }: Pick<MountDeps, 'readBudget'>,
  request: FastifyRequest,
  persons: Persons,
  { handle, fail }: Admitted,
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

/** The most persons that the answer can show. */
function personsAskedFor({ query }: FastifyRequest, persons: Persons): number {
  return persons === 'each' ? ((query as { size?: number }).size ?? DEFAULT_PAGE_SIZE) : 1;
}

/** A page shows the persons that it lists, an archive says how many it holds, and any other answer shows one. */
function personsIn(body: unknown, persons: Persons): number {
  if (persons === 'each' && body instanceof SpecialAnswer && body.persons !== undefined) return body.persons;
  const view = body instanceof SpecialAnswer ? body.body : body instanceof WrittenPage ? body.page : body;
  if (persons !== 'each') return 1;
  const { content, totalElements = 0, links, candidates } = view as PersonList;
  // A page behind the end still reveals `totalElements`, and so whether a guess was right.
  if (content) return content.length === 0 && totalElements > 0 ? 1 : content.length;
  // That somebody is linked to nobody, or on no list, is known of one person, too.
  return Math.max(1, (links ?? candidates ?? []).length);
}

type PersonList = { totalElements?: number } & Partial<Record<'content' | 'links' | 'candidates', readonly unknown[]>>;

/** Bytes of the body are compared by their hash. */
function digestOf({ contentType, bytes }: RawBody): unknown {
  return { contentType, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function contextWithoutBearer(deps: MountDeps, request: FastifyRequest): OpenContext | JourneyContext {
  const { journey } = request;
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(',') : value;
  };
  if (!journey) {
    return {
      hostTenant: deps.hostTenant(request.headers.host),
      address: networkOf(request.ip),
      requestId: request.id,
      header,
    };
  }
  return {
    tenantId: journey.tenantId,
    session: journey,
    db: deps.db.of(journey.tenantId),
    now: deps.clock.now(),
    requestId: request.id,
    header,
  };
}
