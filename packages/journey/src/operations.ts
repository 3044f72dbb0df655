import type { api, Body, Ok, Params } from '@grove/contract';

/** The operations that the page calls, typed by the contract: a path that is renamed there does not compile here. */
type Operations = typeof api.journey;
type Operation = Operations[keyof Operations];
type At<M extends string, P extends string> = Extract<Operation, { method: M; path: P }>;

export type PathOf<M extends string> = Extract<Operation, { method: M }>['path'];
export type AnswerOf<M extends string, P extends string> = Ok<At<M, P>>;
export type BodyOf<M extends string, P extends string> = Body<At<M, P>>;
export type ParamsOf<P extends string> = Params<{ path: P }>;

/** The address of an operation. */
export function urlOf<P extends Operation['path']>(path: P, params: ParamsOf<P>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: keyof ParamsOf<P>) => encodeURIComponent(params[name]));
}
