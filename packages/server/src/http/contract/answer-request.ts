import { createHash } from 'node:crypto';
import { type GroupedOperation, takesIdempotencyKey } from '@grove/contract';
import type { FastifyRequest } from 'fastify';
import type { Db } from '../../db/db.ts';
import { fromStored, toStored } from '../../kernel/answers.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Context, JourneyContext } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { OpenContext, RawBody } from '../../kernel/implement.ts';
import { ROWS_AT_ONCE } from '../../kernel/in-slices.ts';
import { isBadText } from '../../kernel/json-fault.ts';
import { DEFAULT_PAGE_SIZE } from '../../kernel/pages.ts';
import { lineOf } from '../../kernel/take-turns.ts';
import { addHeader } from '../fast/respond.ts';
import type { SerializerOptions } from '../fast/serialize.ts';
import { networkOf } from '../limit-connections.ts';
import type { HostTenant } from '../tenant.ts';
import type { Idempotency } from './idempotency.ts';
import { pageWriter, type TakeTurn } from './serve-pages.ts';

/** Answers an admitted request by its handler: parameters, context, long pages, idempotency keys. */
export type AnswerDeps = {
  db: Db;
  clock: Clock;
  idempotency: Idempotency;
  /** How the answers of an operation are written. */
  serializers(operationId: string): SerializerOptions;
  inLine: TakeTurn;
  hostTenant: HostTenant;
};

export type AnyHandler = ((context: Context | OpenContext | JourneyContext, input: unknown) => unknown) & {
  prepare?(context: Context, input: unknown): Promise<(within: Context) => unknown>;
};
export type Route = { readonly id: string; readonly operation: GroupedOperation; readonly handler: AnyHandler };

/** The returned function is not async: each promise between the handler and the answer costs every request. */
export function answerRoute(deps: AnswerDeps, route: Route): (request: FastifyRequest) => unknown {
  const { id, operation, handler } = route;
  const takesKey = takesIdempotencyKey(operation);
  const writePage = operation.method === 'GET' ? pageWriter(operation.ok, deps.serializers(id)) : undefined;
  const writeIfLong = (page: unknown) => {
    const { content } = page as { content?: readonly unknown[] };
    return writePage && content && content.length > ROWS_AT_ONCE ? writePage({ ...(page as object), content }) : page;
  };

  return (request) => {
    const fault = parameterFault(request);
    if (fault) throw fault;
    const input = { params: request.params, query: request.query, body: request.body };
    const { principal } = request;
    if (!principal) return handler(contextWithoutBearer(deps, request), input);
    const context: Context = {
      tenantId: principal.tenantId,
      principal,
      db: deps.db.of(principal.tenantId, principal.environment),
      now: deps.clock.now(),
      requestId: request.id,
      // A getter would make a function and a hidden class for each request.
      address: networkOf(request.ip),
      accept: request.headers.accept,
    };
    const key = takesKey ? request.headers['idempotency-key'] : undefined;
    if (typeof key !== 'string') {
      const rows = (writePage && (request.query as { size?: number }).size) || DEFAULT_PAGE_SIZE;
      // A page of usual size costs as much as any small read, so it takes no turn.
      if (rows <= ROWS_AT_ONCE) return handler(context, input);
      const line = lineOf(principal.tenantId, principal.environment);
      return deps.inLine(line, rows, async () => writeIfLong(await handler(context, input)));
    }

    const handle: Handle = (within) => handler(within, input);
    const prepare = handler.prepare && (() => handler.prepare?.(context, input) as Promise<Handle>);
    return answerOnce(deps, route, { key, context, input, handle, prepare }, request);
  };
}

type Handle = (within: Context) => unknown;
type Once = {
  key: string;
  context: Context;
  input: { params: unknown; body: unknown };
  handle: Handle;
  prepare: (() => Promise<Handle>) | undefined;
};

/** Ensures that a request with an idempotency key runs once; a repetition gets the stored answer. */
async function answerOnce(
  deps: AnswerDeps,
  { id, operation }: Route,
  { key, context, input, handle, prepare }: Once,
  request: FastifyRequest,
) {
  const fingerprint = operation.consumes ? { ...input, body: digestOf(input.body as RawBody) } : input;
  const { body, replayed } = await deps.idempotency({
    operation: id,
    key,
    context,
    fingerprint,
    instanceId: (input.params as { processInstanceId?: string }).processInstanceId,
    handle: toStorable(handle),
    ...(prepare && { prepare: async () => toStorable(await prepare()) }),
  });
  if (replayed) addHeader(request, 'Idempotent-Replayed', 'true');
  return fromStored(body, operation.status ?? 200);
}

const toStorable = (handle: Handle) => async (within: Context) => toStored(await handle(within));

/** Bytes of the body are compared by their hash. */
function digestOf({ contentType, bytes }: RawBody): unknown {
  return { contentType, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function contextWithoutBearer(deps: AnswerDeps, request: FastifyRequest): OpenContext | JourneyContext {
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
    db: deps.db.of(journey.tenantId, 'journeys'),
    now: deps.clock.now(),
    requestId: request.id,
    address: networkOf(request.ip),
    header,
  };
}

const MAX_PARAMETER_LENGTH = 255;
/** A key id of UAF has at most 2,048 bytes, in base64url. */
const LONGER: Readonly<Record<string, number>> = { keyId: 2731 };

/** The fault of a parameter in the path or the query that the schemas do not check. */
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
