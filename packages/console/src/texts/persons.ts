import { useQuery } from '@tanstack/react-query';
import type { PersonTexts } from './persons/en.ts';
import { type Language, translator, useTexts, type Values } from './texts.tsx';

const LOADERS: Record<Language, () => Promise<PersonTexts>> = {
  en: async () => (await import('./persons/en.ts')).personsEn,
  de: async () => (await import('./persons/de.ts')).personsDe,
  ar: async () => (await import('./persons/ar.ts')).personsAr,
};

export type TranslatePerson = (key: keyof PersonTexts, values?: Values) => string;

/** The words of the screen of person requests; undefined until they are loaded. */
export function usePersonTexts(): TranslatePerson | undefined {
  const { language } = useTexts();
  const { data } = useQuery({
    queryKey: ['person-texts', language],
    queryFn: async () => translator(language, await LOADERS[language]()),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
