import type { Static, TSchema } from 'typebox';
import type { ConfigurationAction, OperatorAction } from './configuration-actions.ts';
import type { ErrorCode } from './errors.ts';

/**
 * An operation is a row of data. Routes, validation, permissions, OpenAPI, the SDK, the CLI and the documentation are
 * derived from it, so nothing about the API is written down twice.
 */
export type Method = 'GET' | 'POST' | 'DELETE';

/** How an address names the user: by internal id, by external id (the `/ext` twin), or not at all. */
export type UserBy = 'id' | 'ext' | 'none';

/** `Component:operation`; with `TNT#<tenant>#` before it, the permission a caller must hold. */
export type Permission = `${Capitalize<string>}:${string}`;

/**
 * Who may call: a holder of the permission (an API key's bearer token, or an operator who is signed in), a holder of an
 * API key, the end user of one journey, an operator for the own account, or anyone.
 */
export type Access =
  | { permission: Permission; auth?: never }
  | { auth: 'apiKey' | 'journey' | 'operator' | 'public'; permission?: never };

export type Row = Access & {
  summary: string;
  /** What a reader of the documentation should know beyond the summary. */
  description?: string;
  query?: TSchema;
  body?: TSchema;
  ok?: TSchema;
  /** The success status; 200 unless written. */
  status?: 200 | 201 | 202 | 204 | 303 | 307;
  /** The content type of a success that is not JSON. */
  produces?: string;
  /** What a success is instead of JSON for a caller that accepts nothing else. */
  alsoProduces?: string;
  /** The content types of a body that is not (only) JSON; it reaches the handler as bytes. */
  consumes?: readonly string[];
  /** Codes of its own, beside the general ones that any operation may answer. */
  codes?: readonly ErrorCode[];
  /** Set if it changes the configuration of the tenant: how the audit log names the change. */
  audit?: ConfigurationAction;
  /** How the audit log names it when an operator calls it. What API keys do here is not in the audit log. */
  auditOperators?: OperatorAction;
  /**
   * Set if the response shows personal data, which counts against the read budget of the caller: of one person, or of each
   * person in the page or the archive. Operations that change something and return the person count as well.
   */
  persons?: 'one' | 'each';
  /** Set if an operator must have used a passkey within the last minutes to call it. */
  destructive?: true;
  /** The largest body it takes, where that is not `MAX_BODY_BYTES`. */
  maxBodyBytes?: number;
};

export type Operation<M extends Method = Method, P extends string = string, R extends Row = Row> = R & {
  readonly method: M;
  readonly path: P;
  /** Set on operations about a user: which addresses it has. The path is then what follows the user. */
  readonly userBy?: readonly UserBy[];
};

/** A path that follows the path of a user, made by `ofUser`. */
export type UserPath<P extends string, B extends UserBy> = { readonly tail: P; readonly userBy: readonly B[] };

/**
 * The only code that knows `/ext`: one operation, served at `/users/{userId}<tail>`, at `/users/{userExtId}<tail>/ext`,
 * and, for ceremonies that find out who the user is, at `<tail>` alone.
 */
export function ofUser<const P extends string, const B extends UserBy>(tail: P, ...userBy: B[]): UserPath<P, B> {
  return { tail, userBy };
}

type OperationAt<M extends Method, P extends string | UserPath<string, UserBy>, R extends Row> = P extends string
  ? Operation<M, P, R>
  : P extends UserPath<infer T, infer B>
    ? Operation<M, T, R> & { readonly userBy: readonly B[] }
    : never;

function verb<M extends Method>(method: M) {
  return <const P extends string | UserPath<string, UserBy>, const R extends Row>(
    address: P,
    row: R,
  ): OperationAt<M, P, R> => {
    const where = typeof address === 'string' ? { path: address } : { path: address.tail, userBy: address.userBy };
    return { ...row, method, ...where } as unknown as OperationAt<M, P, R>;
  };
}

export const get = verb('GET');
export const post = verb('POST');
export const del = verb('DELETE');

type Under<Prefix extends string, O> = O extends { path: infer P extends string }
  ? Omit<O, 'path'> & { readonly path: `${Prefix}${P}`; readonly prefix: Prefix }
  : never;

/** Places a set of operations under a common path. */
export function group<const Prefix extends string, const G extends Record<string, Operation>>(
  prefix: Prefix,
  operations: G,
): { readonly [K in keyof G]: Under<Prefix, G[K]> } {
  const entries = Object.entries(operations).map(([name, operation]) => [
    name,
    { ...operation, path: `${prefix}${operation.path}`, prefix },
  ]);
  return Object.fromEntries(entries);
}

/** An operation as it stands in a group: with its whole path, and the group's prefix. */
export type GroupedOperation = Operation & { readonly prefix: string };

export type Address = { readonly path: string; readonly userBy?: UserBy };

const userSegment = { id: '/users/{userId}', ext: '/users/{userExtId}', none: '' } as const;

/** Every address an operation is served at. */
export function addressesOf(operation: GroupedOperation): Address[] {
  if (!operation.userBy) return [{ path: operation.path }];
  const tail = operation.path.slice(operation.prefix.length);
  return operation.userBy.map((userBy) => ({
    userBy,
    path: `${operation.prefix}${userSegment[userBy]}${tail}${userBy === 'ext' ? '/ext' : ''}`,
  }));
}

type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never;

/** The path parameters of an operation. The type does not contain the user: handlers call `givenUserRef`. */
export type Params<O> = O extends { path: infer P extends string } ? { [K in ParamNames<P>]: string } : never;
export type Query<O> = O extends { query: infer Q extends TSchema } ? Static<Q> : Record<never, never>;
export type Body<O> = O extends { body: infer B extends TSchema } ? Static<B> : undefined;
export type Ok<O> = O extends { ok: infer S extends TSchema } ? Static<S> : undefined;

/** A body with no required member may be left out: nothing and `{}` mean the same. */
export function needsBody(operation: Operation): boolean {
  const { required } = (operation.body ?? {}) as { required?: readonly string[] };
  return required !== undefined && required.length > 0;
}

/** The names of the parameters in a path template. */
export function paramNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}
