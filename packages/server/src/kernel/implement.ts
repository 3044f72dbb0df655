import type { Api, Body, GroupName, Ok, Params, Query } from '@grove/contract';
import type { Produced, Redirect, WithHeaders } from './answers.ts';
import type { Context, JourneyContext } from './context.ts';
import type { TenantId } from './ids.ts';

/** A body that is not only JSON, as it came. */
export type RawBody = { readonly contentType: string; readonly bytes: Buffer };

/** What a handler receives from the request, validated by the operation's schemas. */
export type Input<O> = {
  params: Params<O>;
  query: Query<O>;
  body: O extends { consumes: readonly string[] } ? RawBody : Body<O>;
};

/** What a handler of an operation without a bearer token receives instead of a context. */
export type OpenContext = {
  /** The tenant that the host name names, if it names one. */
  readonly hostTenant: TenantId | undefined;
  readonly address: string;
  readonly requestId: string;
  header(name: string): string | undefined;
};

/** What was created may have to be answered again, word for word, so it is plain or a redirect. */
type AnswerOf<O> = O extends { status: 303 | 307 }
  ? Redirect
  : O extends { produces: string }
    ? Produced
    : O extends { status: 201 | 202 }
      ? Ok<O>
      : Ok<O> | WithHeaders<Ok<O>> | Produced;
type Answer<O> = AnswerOf<O> | Promise<AnswerOf<O>>;

type ContextOf<O> = O extends { auth: 'journey' }
  ? JourneyContext
  : O extends { auth: 'apiKey' | 'public' }
    ? OpenContext
    : Context;

export type Handler<O> = ((context: ContextOf<O>, input: Input<O>) => Answer<O>) & {
  /** What it does before anything is written; it gives what does the rest. */
  prepare?(context: ContextOf<O>, input: Input<O>): Promise<(within: ContextOf<O>) => Answer<O>>;
};

/**
 * For operations that read an image or an archive before they write: with an `Idempotency-Key` a handler runs inside a
 * transaction, and nothing but the database may be waited for there.
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

/** A handler that is missing does not compile. */
export type AllHandlers = { readonly [G in GroupName]: Handlers<Api[G]> };

/** Ties handlers to the operations of a group, so that each gets its input's types. */
export function implement<G>(_group: G, handlers: Handlers<G>): Handlers<G> {
  return handlers;
}

/** A handler that changes nothing but the database, and so may be called a second time in its transaction. */
export function mayRunAgain<H extends (...parameters: never[]) => unknown>(handler: H): H {
  return Object.assign(handler, { runsAgain: true });
}

type Bound<F> = F extends (deps: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** Hands functions what they need, which is their first parameter: a factory of handlers is a list of their names. */
export function bindDeps<Deps, F extends Readonly<Record<string, (deps: Deps, ...rest: never[]) => unknown>>>(
  deps: Deps,
  functions: F,
): { readonly [K in keyof F]: Bound<F[K]> } {
  const bound = Object.entries(functions).map(([name, each]) => [name, each.bind(undefined, deps)]);
  return Object.fromEntries(bound) as { readonly [K in keyof F]: Bound<F[K]> };
}
