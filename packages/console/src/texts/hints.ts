import type { HintTexts } from './hints/en.ts';
import { useLaterTexts } from './later-texts.ts';

/** Descriptions of empty lists, and labels of filters; undefined until they are loaded. */
export const useHints = () =>
  useLaterTexts<keyof HintTexts>('hints', {
    en: async () => (await import('./hints/en.ts')).hintsEn,
    de: async () => (await import('./hints/de.ts')).hintsDe,
    ar: async () => (await import('./hints/ar.ts')).hintsAr,
  });
