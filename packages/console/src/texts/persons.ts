import { useLaterTexts } from './later-texts.ts';
import type { PersonTexts } from './persons/en.ts';
import type { Values } from './texts.tsx';

export type TranslatePerson = (key: keyof PersonTexts, values?: Values) => string;

/** The texts of the screen of person requests; undefined until they are loaded. */
export const usePersonTexts = (): TranslatePerson | undefined =>
  useLaterTexts<keyof PersonTexts>('persons', {
    en: async () => (await import('./persons/en.ts')).personsEn,
    de: async () => (await import('./persons/de.ts')).personsDe,
    ar: async () => (await import('./persons/ar.ts')).personsAr,
  });
