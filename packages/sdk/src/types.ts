import type { Api, Body, Ok, Params, Query } from '@grove/contract';

/** Operations that only browsers call are left out, and so are streams, because a call could not wait for their end. */
export type ServedGroup = Exclude<keyof Api, 'journey' | 'processServer' | 'consoleAccount' | 'eventStream'>;

/** One namespace per group of the contract, one method per operation. */
export type Client = {
  readonly [G in ServedGroup]: { readonly [N in ServedName<G>]: Method<Api[G][N]> };
};

/** Operations that anybody may read are for browsers as well. */
export type ServedName<G extends ServedGroup> = {
  [N in keyof Api[G]]: Api[G][N] extends { auth: 'public' } ? never : N;
}[keyof Api[G]];

export type CallOptions = {
  /** The header `Idempotency-Key`. Operations that create get a random key if you give none. */
  idempotencyKey?: string | undefined;
  /** Aborts the call, its retries and its waiting. */
  signal?: AbortSignal | undefined;
};

/** The arguments of a call: path parameters at the top, beside them the query, the body and the user. */
export type Arguments<O> = Flat<Params<O> & QueryPart<O> & BodyPart<O> & UserPart<O> & CallOptions>;

/** An answer that is not JSON, such as an archive. */
export type Binary = { readonly contentType: string; readonly bytes: Uint8Array<ArrayBuffer> };

/** The target of a redirect, which is not followed, and the process instance that the operation made. */
export type Redirect = { readonly location: string; readonly processInstanceId: string };

/** The result of a call. */
export type Result<O> = O extends { produces: string } ? Binary : O extends { status: 307 } ? Redirect : Ok<O>;

/** A user of an identity store. */
export type User = Ok<Api['users']['get']>;

export type Method<O> = Callable<Arguments<O>, Result<O>> & Paging<Arguments<O>, Result<O>>;

type Nothing = Record<never, never>;
type Flat<T> = { [K in keyof T]: T[K] };
type Callable<A, R> = Nothing extends A ? (args?: A) => Promise<R> : (args: A) => Promise<R>;

/** The members of a page that walking a list needs. */
type AnyPage<Item> = { content: Item[]; last: boolean; totalPages: number };

type Paging<A, R> =
  R extends AnyPage<infer Item>
    ? {
        /** Every item, from the page of the query (0 by default) to the last; pages are fetched when needed. */
        readonly all: Walk<A, Item>;
        /** The same, page by page. */
        readonly pages: Walk<A, R>;
      }
    : Nothing;

type Walk<A, T> = Nothing extends A
  ? (args?: A) => AsyncGenerator<T, void, undefined>
  : (args: A) => AsyncGenerator<T, void, undefined>;

/** A filter that is undefined is left out, so `{ name: maybeName }` needs no branch. */
type Lenient<Q> = { [K in keyof Q]: Nothing extends Pick<Q, K> ? Q[K] | undefined : Q[K] };

type QueryPart<O> = O extends { query: unknown }
  ? Nothing extends Query<O>
    ? { query?: Lenient<Query<O>> }
    : { query: Lenient<Query<O>> }
  : Nothing;

/** A body that is a file carries its type. */
type BodyPart<O> = O extends { consumes: readonly (infer Type)[] }
  ? { body: { contentType: Type; bytes: Uint8Array<ArrayBuffer> } }
  : O extends { body: unknown }
    ? Nothing extends Body<O>
      ? { body?: Body<O> }
      : { body: Body<O> }
    : Nothing;

type ById = { id: string; extId?: never };
type ByExtId = { extId: string; id?: never };

/** The `/ext` twins are one method: the kind of user decides which address is called. */
type UserPart<O> = O extends { userBy: readonly (infer By)[] }
  ? 'none' extends By
    ? { user?: UserOf<By> }
    : { user: UserOf<By> }
  : Nothing;
type UserOf<By> = ('id' extends By ? ById : never) | ('ext' extends By ? ByExtId : never);
