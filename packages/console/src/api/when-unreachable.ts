import type { Query } from '@tanstack/react-query';
import { type ComponentType, lazy } from 'react';
import { isUnreachable, unreachable } from './client.ts';

const AGAIN_MS = 3000;
const MAX_LOADS = 5;

/** The interval at which a query is retried while the server is unreachable. */
export function whenUnreachable({ state }: Pick<Query, 'state'>): number | false {
  return state.status === 'error' && isUnreachable(state.error) ? AGAIN_MS : false;
}

/** Loads code with retries, so that it survives a restart of the server. */
export function patiently<M>(load: () => Promise<M>): () => Promise<M> {
  return async () => {
    for (let loads = 1; loads < MAX_LOADS; loads += 1) {
      const module = await load().catch(() => undefined);
      if (module) return module;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    // For other errors the router assumes a new release and reloads the page, which is blank while the server is away.
    return load().catch(() => Promise.reject(unreachable()));
  };
}

// biome-ignore lint/suspicious/noExplicitAny: `lazy` takes components of any properties.
type Parts<N extends string> = Record<N, ComponentType<any>>;

/** A part of the page whose code is loaded when it is needed. */
export function lazily<M extends Parts<N>, N extends string>(load: () => Promise<M>, name: N) {
  return lazy(patiently(async () => ({ default: (await load())[name] })));
}
