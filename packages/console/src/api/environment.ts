import { useSyncExternalStore } from 'react';

/** The environment of this tab: live or test data. Two tabs may differ. */
export type Environment = 'live' | 'test';

const NAME = 'grove-environment';
const PARAMETER = 'environment';
const listeners = new Set<() => void>();

/** Applies the environment that a link in an e-mail names, and removes it from the address. */
function followLink(): void {
  const address = new URL(location.href);
  const environment = address.searchParams.get(PARAMETER);
  if (environment === null) return;
  sessionStorage.setItem(NAME, environment === 'test' ? 'test' : 'live');
  address.searchParams.delete(PARAMETER);
  history.replaceState(history.state, '', address);
}

followLink();
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
