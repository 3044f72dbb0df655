import type { Choice } from '../choice.tsx';

/** Remembers over a reload which document it is. The images themselves are on the server. */
export function recallChoice(storageKey: string): Choice | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    const { documentType, countryCode } = (stored ?? {}) as Partial<Choice>;
    return typeof documentType === 'string' && typeof countryCode === 'string'
      ? { documentType, countryCode }
      : undefined;
  } catch {
    return undefined;
  }
}

export function rememberChoice(storageKey: string, choice: Choice | undefined): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(choice ?? null));
  } catch {
    // Without storage, the page asks again after a reload.
  }
}
