import type { Session } from './api.ts';

/** What this tab remembers of a journey, beside what the server knows. A browser that keeps nothing works as well. */
export type Memory = {
  started?: boolean;
  declined?: boolean;
  handoff?: Session['handoff'];
};

const LANGUAGE = 'grove-language';

export function recall(instanceId: string): Memory {
  return read(() => JSON.parse(sessionStorage.getItem(`grove-${instanceId}`) ?? '{}') as Memory) ?? {};
}

export function remember(instanceId: string, memory: Memory): void {
  const all = { ...recall(instanceId), ...memory };
  read(() => sessionStorage.setItem(`grove-${instanceId}`, JSON.stringify(all)));
}

export function recallLanguage(): string | null {
  return read(() => localStorage.getItem(LANGUAGE)) ?? null;
}

export function rememberLanguage(language: string): void {
  read(() => localStorage.setItem(LANGUAGE, language));
}

/** Storage throws where it is forbidden. */
function read<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
