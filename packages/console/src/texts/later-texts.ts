import { useQuery } from '@tanstack/react-query';
import { type Language, translator, useTexts, type Values } from './texts.tsx';

type Loaders<K extends string> = Record<Language, () => Promise<Readonly<Record<K, string>>>>;

/** Texts that only some screens need; undefined until they are loaded. */
export function useLaterTexts<K extends string>(name: string, loaders: Loaders<K>) {
  const { language } = useTexts();
  const { data } = useQuery({
    queryKey: ['later-texts', name, language],
    queryFn: async (): Promise<(key: K, values?: Values) => string> => translator(language, await loaders[language]()),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
