import type { Query } from '@tanstack/react-query';
import { type ComponentType, lazy } from 'react';
import { isUnreachable, unreachable } from './client.ts';

const AGAIN_MS = 3000;
const MAX_LOADS = 5;

/** What could not be fetched because the server was away is there again soon after the server. */
export function whenUnreachable({ state }: Pick<Query, 'state'>): number | false {
  return state.status === 'error' && isUnreachable(state.error) ? AGAIN_MS : false;
}

/** Code that is loaded when it is needed. A server that is being restarted is waited for. */
export function patiently<M>(load: () => Promise<M>): () => Promise<M> {
  return async () => {
    for (let loads = 1; loads < MAX_LOADS; loads += 1) {
      const module = await load().catch(() => undefined);
      if (module) return module;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    // The kit takes other errors for a new release and reloads the page, which shows nothing while the server is away.
    return load().catch(() => Promise.reject(unreachable()));
  };
}

// biome-ignore lint/suspicious/noExplicitAny: `lazy` takes components of any properties.
type Parts<N extends string> = Record<N, ComponentType<any>>;

/** A part of the page whose code is loaded when it is needed. */
export function lazily<M extends Parts<N>, N extends string>(load: () => Promise<M>, name: N) {
  return lazy(patiently(async () => ({ default: (await load())[name] })));
}
