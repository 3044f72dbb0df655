import { catalogue, type ErrorCode, refusalCodes } from './errors.ts';
import { exampleOf } from './openapi-examples.ts';
import type { JsonSchema } from './openapi-schemas.ts';
import { type GroupedOperation, paramNames } from './operation.ts';

/** The error responses of the OpenAPI document: which an operation has, and what they look like. */

type Json = { readonly [member: string]: unknown };

type ProblemKind = {
  /** The name under components.responses. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A code that is answered with this status, for the example. */
  readonly code: ErrorCode;
};

const badRequest = {
  name: 'BadRequest',
  title: 'Bad Request',
  description: 'The request cannot be served as it is',
  code: 100001,
} as const;

const refusedKind: ProblemKind = {
  name: 'Refused',
  title: 'Bad Request',
  description: 'The request cannot be served as it is, or the user was refused; a refusal carries the updated user',
  code: 372,
};

const kinds: Readonly<Record<number, ProblemKind>> = {
  400: badRequest,
  401: {
    name: 'Unauthorized',
    title: 'Unauthorized',
    description: 'The credential is missing or invalid',
    code: 279,
  },
  403: {
    name: 'Forbidden',
    title: 'Forbidden',
    description: 'The credential does not hold the permission',
    code: 7,
  },
  404: { name: 'NotFound', title: 'Not Found', description: 'There is no such object in this tenant', code: 130 },
  409: {
    name: 'Conflict',
    title: 'Conflict',
    description: 'The request conflicts with the present state, or with a request that is still being served',
    code: 100014,
  },
  410: { name: 'Gone', title: 'Gone', description: 'The one-time code was used', code: 100055 },
  422: {
    name: 'IdempotencyMismatch',
    title: 'Unprocessable Entity',
    description: 'The Idempotency-Key was used with another request',
    code: 100012,
  },
  429: {
    name: 'TooManyRequests',
    title: 'Too Many Requests',
    description: 'Too many requests; try again after the time in `Retry-After`',
    code: 100007,
  },
};

/** The shared responses, under components. */
export function problemResponses(problem: JsonSchema, refusal: JsonSchema): Json {
  const shared = Object.values(kinds).map((kind) => [kind.name, response(kind, problem)]);
  return { ...Object.fromEntries(shared), [refusedKind.name]: response(refusedKind, refusal) };
}

/** References to the shared responses, for each status an operation may fail with. */
export function problemsOf(operation: GroupedOperation): Json {
  const { codes = [] } = operation;
  const refuses = codes.some((code) => code in refusalCodes);
  const statuses = Object.keys(kinds).map(Number);
  return Object.fromEntries(
    statuses
      .filter((status) => canAnswer(operation, status))
      .map((status) => {
        const kind = status === 400 && refuses ? refusedKind : kinds[status];
        return [status, { $ref: `#/components/responses/${kind?.name}` }];
      }),
  );
}

const CREATING: readonly (number | undefined)[] = [201, 202, 307];

/** Every operation of a back end that creates something: at once (201), in the background (202), or with a redirect. */
export function takesIdempotencyKey({ method, permission, status }: GroupedOperation): boolean {
  return method === 'POST' && permission !== undefined && CREATING.includes(status);
}

/** The statuses that any HTTP server may answer to any request. They are not part of an operation. */
const OF_HTTP: readonly number[] = [405, 408, 413, 415, 421, 431, 500, 503, 507];

/** Every status that an operation may answer: those that it declares, and those that every operation may answer. */
export function declaredStatuses(operation: GroupedOperation): ReadonlySet<number> {
  const problems = Object.keys(kinds).map(Number);
  const declared = problems.filter((status) => canAnswer(operation, status));
  return new Set([operation.status ?? 200, ...declared, ...OF_HTTP]);
}

function canAnswer(operation: GroupedOperation, status: number): boolean {
  const { auth, permission, codes = [], userBy } = operation;
  if (codes.some((code) => catalogue[code].status === status)) return true;
  if (status === 400 || status === 429) return true;
  if (status === 401) return auth !== 'public';
  // A suspended tenant is suspended for its keys, its operators and its end users.
  if (status === 403) return permission !== undefined || auth !== 'public';
  if (status === 404) return paramNames(operation.path).length > 0 || userBy !== undefined;
  return (status === 409 || status === 422) && takesIdempotencyKey(operation);
}

function response(kind: ProblemKind, schema: JsonSchema): Json {
  const { status, message } = catalogue[kind.code];
  const retryAfter = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } };
  const fault = { pointer: '/name', message: 'is required' };
  const example = {
    type: `urn:grove:error:${kind.code}`,
    title: kind.title,
    status,
    code: kind.code,
    message: kind === badRequest ? `${message}: ${fault.pointer} ${fault.message}` : message,
    requestId: '01JZ4MHX6Z8B0D2F4H6K8M0P2R',
    ...(kind === badRequest && { errors: [fault] }),
    ...(kind === refusedKind && { user: exampleOf('users', 'get').ok }),
  };
  return {
    description: kind.description,
    ...(status === 429 && { headers: retryAfter }),
    content: { 'application/problem+json': { schema, example } },
  };
}
