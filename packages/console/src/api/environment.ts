import { useSyncExternalStore } from 'react';

/** Whether this tab works with live or with test data. Two tabs may differ. */
export type Environment = 'live' | 'test';

const NAME = 'grove-environment';
const listeners = new Set<() => void>();
let current: Environment = sessionStorage.getItem(NAME) === 'test' ? 'test' : 'live';

export const currentEnvironment = (): Environment => current;

export function setEnvironment(environment: Environment): void {
  current = environment;
  sessionStorage.setItem(NAME, environment);
  for (const each of listeners) each();
}

export function useEnvironment(): Environment {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentEnvironment);
}
