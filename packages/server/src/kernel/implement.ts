import type { Api, Body, GroupName, Ok, Params, Planned, Query } from '@grove/contract';
import type { Context } from './context.ts';
import type { TenantId } from './ids.ts';

/** What a handler receives from the request, validated by the operation's schemas. */
export type Input<O> = { params: Params<O>; query: Query<O>; body: Body<O> };

/** What a handler of an operation without a bearer token receives instead of a context. */
export type OpenContext = {
  /** The tenant that the host name names, if it names one. */
  readonly hostTenant: TenantId | undefined;
  readonly address: string;
  readonly requestId: string;
  header(name: string): string | undefined;
};

type Answer<O> = Ok<O> | Promise<Ok<O>>;

export type Handler<O> = O extends { auth: string }
  ? (context: OpenContext, input: Input<O>) => Answer<O>
  : (context: Context, input: Input<O>) => Answer<O>;

export type Handlers<G> = { readonly [K in keyof G]: Handler<G[K]> };

/** The groups that are served; a handler that is missing in one of them does not compile. */
export type BuiltGroup = Exclude<GroupName, Planned>;
type BuiltOperations<G extends GroupName> = {
  [K in keyof Api[G] as `${G}.${K & string}` extends Planned ? never : K]: Api[G][K];
};
export type AllHandlers = { readonly [G in BuiltGroup]: Handlers<BuiltOperations<G>> };

/** Ties handlers to the operations of a group, so that each gets its input's types. */
export function implement<G>(_group: G, handlers: Handlers<G>): Handlers<G> {
  return handlers;
}
