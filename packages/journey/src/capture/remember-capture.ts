import type { Choice } from '../choice.tsx';

/** What a reload must not lose: which document it was. The images themselves are with the server. */
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
    // A browser that keeps nothing asks once more after a reload.
  }
}
