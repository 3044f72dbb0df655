import type { Api, Body, GroupName, Ok, Params, Query } from '@grove/contract';
import type { BytesAnswer, Redirect, WithHeaders } from './answers.ts';
import type { Context, JourneyContext } from './context.ts';
import type { TenantId } from './ids.ts';

/** The unparsed body of an operation that accepts other types than JSON. */
export type RawBody = { readonly contentType: string; readonly bytes: Buffer };

/** The part of the request that a handler receives, validated by the operation's schemas. */
export type Input<O> = {
  params: Params<O>;
  query: Query<O>;
  body: O extends { consumes: readonly string[] } ? RawBody : Body<O>;
};

/** The context of a handler whose operation has no bearer token. */
export type OpenContext = {
  /** The tenant in the host name, if there is one. */
  readonly hostTenant: TenantId | undefined;
  readonly address: string;
  readonly requestId: string;
  header(name: string): string | undefined;
};

/** Idempotency may have to repeat the answer of a creation word for word, so that is a plain body or a redirect. */
type AnswerOf<O> = O extends { status: 303 | 307 }
  ? Redirect
  : O extends { produces: string }
    ? BytesAnswer
    : O extends { status: 201 | 202 }
      ? Ok<O>
      : Ok<O> | WithHeaders<Ok<O>> | BytesAnswer;
type Answer<O> = AnswerOf<O> | Promise<AnswerOf<O>>;

type ContextOf<O> = O extends { auth: 'journey' }
  ? JourneyContext
  : O extends { auth: 'apiKey' | 'public' }
    ? OpenContext
    : Context;

export type Handler<O> = ((context: ContextOf<O>, input: Input<O>) => Answer<O>) & {
  /** Does the work before anything is written, and returns the function that does the rest. */
  prepare?(context: ContextOf<O>, input: Input<O>): Promise<(within: ContextOf<O>) => Answer<O>>;
};

/**
 * For operations that read an image or an archive before they write: with an `Idempotency-Key`, a handler runs inside a
 * transaction, where it may wait for nothing but the database.
 */
export function prepared<O, P>(
  prepare: (context: ContextOf<O>, input: Input<O>) => Promise<P>,
  handle: (context: ContextOf<O>, input: Input<O>, prepared: P) => Answer<O>,
): Handler<O> {
  const ready = async (context: ContextOf<O>, input: Input<O>) => {
    const prepared = await prepare(context, input);
    return (within: ContextOf<O>) => handle(within, input, prepared);
  };
  const handler = async (context: ContextOf<O>, input: Input<O>) => (await ready(context, input))(context);
  return Object.assign(handler as Handler<O>, { prepare: ready });
}

export type Handlers<G> = { readonly [K in keyof G]: Handler<G[K]> };

/** A missing handler does not compile. */
export type AllHandlers = { readonly [G in GroupName]: Handlers<Api[G]> };

/** Gives each handler of a group the types of its operation. */
export function implement<G>(_group: G, handlers: Handlers<G>): Handlers<G> {
  return handlers;
}

/** Marks a handler that changes nothing but the database, so that its transaction may call it a second time. */
export function mayRunAgain<H extends (...parameters: never[]) => unknown>(handler: H): H {
  return Object.assign(handler, { runsAgain: true });
}

type Bound<F> = F extends (deps: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** Binds the first parameter of each function, its dependencies: a factory of handlers is then a list of names. */
export function bindDeps<Deps, F extends Readonly<Record<string, (deps: Deps, ...rest: never[]) => unknown>>>(
  deps: Deps,
  functions: F,
): { readonly [K in keyof F]: Bound<F[K]> } {
  const bound = Object.entries(functions).map(([name, each]) => [name, each.bind(undefined, deps)]);
  return Object.fromEntries(bound) as { readonly [K in keyof F]: Bound<F[K]> };
}
