import type { Session } from './api.ts';

/** What this tab remembers of a journey beside the server's data. It works without storage, too. */
export type Memory = {
  started?: boolean;
  declined?: boolean;
  handoff?: Session['handoff'];
  /** The step for which the end user has asked for a person. */
  personFor?: string;
  /** Set if the end user was redirected to the tenant once; on a return, the page does not redirect again. */
  returned?: boolean;
};

const LANGUAGE = 'grove-language';
const TOKENS = 'grove-tokens';
/** The number of journeys begun by public links; the oldest are forgotten. */
const MAX_TOKENS = 10;

export function recall(instanceId: string): Memory {
  return attempt(() => JSON.parse(sessionStorage.getItem(`grove-${instanceId}`) ?? '{}') as Memory) ?? {};
}

export function remember(instanceId: string, memory: Memory): void {
  const all = { ...recall(instanceId), ...memory };
  attempt(() => sessionStorage.setItem(`grove-${instanceId}`, JSON.stringify(all)));
}

export function recallLanguage(): string | null {
  return attempt(() => localStorage.getItem(LANGUAGE)) ?? null;
}

export function rememberLanguage(language: string): void {
  attempt(() => localStorage.setItem(LANGUAGE, language));
}

/** The journey that this browser has begun by a public link. */
export function recallToken(name: string): string | undefined {
  return tokens().find(([each]) => each === name)?.[1];
}

export function rememberToken(name: string, instanceId: string): void {
  const others = tokens().filter(([each]) => each !== name);
  const newest = [...others, [name, instanceId]].slice(-MAX_TOKENS);
  attempt(() => localStorage.setItem(TOKENS, JSON.stringify(newest)));
}

function tokens(): [string, string][] {
  const stored = attempt(() => JSON.parse(localStorage.getItem(TOKENS) ?? '[]') as unknown);
  return Array.isArray(stored) ? stored.filter((each): each is [string, string] => Array.isArray(each)) : [];
}

/** Storage throws where it is forbidden. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
