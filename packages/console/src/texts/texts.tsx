import { IntlMessageFormat } from 'intl-messageformat';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { isUnreachable } from '../api/client.ts';
import { patiently } from '../api/when-unreachable.ts';
import { en, type Texts } from './en.ts';

/** The texts of the console. English is part of the page; other languages are loaded when they are chosen. */
export type TextKey = keyof typeof en;
export type Language = 'en' | 'de' | 'ar';

export const LANGUAGES: Record<Language, { name: string; dir: 'ltr' | 'rtl' }> = {
  en: { name: 'English', dir: 'ltr' },
  de: { name: 'Deutsch', dir: 'ltr' },
  ar: { name: 'العربية', dir: 'rtl' },
};

const NAME = 'grove-language';
const LOADERS = {
  en: async () => en as Texts,
  de: async () => (await import('./de.ts')).de,
  ar: async () => (await import('./ar.ts')).ar,
} satisfies Record<Language, () => Promise<Texts>>;

function isLanguage(text: string | null | undefined): text is Language {
  return text === 'en' || text === 'de' || text === 'ar';
}

function firstLanguage(): Language {
  const storedLanguage = localStorage.getItem(NAME);
  if (isLanguage(storedLanguage)) return storedLanguage;
  return navigator.languages.map((each) => each.slice(0, 2)).find(isLanguage) ?? 'en';
}

export function isTextKey(key: string): key is TextKey {
  return key in en;
}

export type Values = Record<string, string | number>;
export type Translate = (key: TextKey, values?: Values) => string;
type Spoken = { language: Language; dir: 'ltr' | 'rtl'; t: Translate; setLanguage(language: Language): void };

const Context = createContext<Spoken | undefined>(undefined);

export function TextsProvider({ children }: { children: (spoken: Spoken) => ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const [texts, setTexts] = useState<{ of: Language; all: Texts }>();
  useEffect(() => {
    let isWanted = true;
    patiently(LOADERS[language])().then((all) => isWanted && setTexts({ of: language, all }));
    return () => {
      isWanted = false;
    };
  }, [language]);
  const spoken = useMemo(() => {
    if (!texts) return undefined;
    const { dir } = LANGUAGES[texts.of];
    const choose = (next: Language) => {
      localStorage.setItem(NAME, next);
      setLanguage(next);
    };
    return { language: texts.of, dir, t: translator(texts.of, texts.all), setLanguage: choose };
  }, [texts]);
  useEffect(() => {
    if (!spoken) return;
    document.documentElement.lang = spoken.language;
    document.documentElement.dir = spoken.dir;
  }, [spoken]);
  if (!spoken) return null;
  return <Context value={spoken}>{children(spoken)}</Context>;
}

/** The text of an error. */
export function useErrorText(): (error: unknown) => string {
  const t = useT();
  return (error) => {
    if (isUnreachable(error)) return t('state.unreachable');
    if (error instanceof SyntaxError) return t('state.notRead', { fault: error.message });
    return error instanceof Error ? error.message : String(error);
  };
}

export function translator<K extends string>(language: Language, all: Readonly<Record<K, string>>) {
  const formats = new Map<K, IntlMessageFormat>();
  return (key: K, values?: Values): string => {
    const text = all[key];
    if (!values) return text;
    let format = formats.get(key);
    if (!format) {
      format = new IntlMessageFormat(text, language);
      formats.set(key, format);
    }
    return String(format.format(values));
  };
}

export function useTexts(): Spoken {
  const spoken = useContext(Context);
  if (!spoken) throw new Error('there are no texts yet');
  return spoken;
}

export const useT = (): Translate => useTexts().t;
