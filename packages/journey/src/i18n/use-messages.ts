import { useEffect, useMemo, useState } from 'preact/hooks';
import { rememberLanguage } from '../remember.ts';
import { firstLanguage, PSEUDO } from './first-language.ts';
import { directionOf, LANGUAGES } from './languages.ts';
import { type Area, loadMessages } from './load-messages.ts';
import { type Messages, type Translate, translator } from './translate.ts';

/** The language of the page and its texts. To change the language loses no input. */
export type Words = {
  t: Translate;
  language: string;
  setLanguage(language: string): void;
  /** Whether the texts of these areas are loaded. */
  has(areas: readonly Area[]): boolean;
};

/** The tenant's language, and its own texts for some of ours. */
export type TenantWords = {
  language?: string | undefined;
  texts?: Readonly<Record<string, Messages>> | undefined;
};

export function useMessages(areas: readonly Area[], tenant: TenantWords = NOTHING): Words | undefined {
  const [chosenLanguage, setChosenLanguage] = useState<string>();
  const [texts, setTexts] = useState<{ language: string; areas: string; messages: Messages }>();
  const wantedLanguage = useMemo(
    () => chosenLanguage ?? firstLanguage(tenant.language),
    [chosenLanguage, tenant.language],
  );
  const names = areas.join(' ');

  useEffect(() => {
    let current = true;
    loadAll(names.split(' ') as Area[], wantedLanguage).then(
      (messages) => current && setTexts({ language: wantedLanguage, areas: names, messages }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [wantedLanguage, names]);

  useEffect(() => {
    if (!texts) return;
    const { documentElement } = document;
    documentElement.lang = texts.language === PSEUDO ? 'en' : texts.language;
    documentElement.dir = directionOf(texts.language);
  }, [texts]);

  const words = useMemo(() => {
    if (!texts) return undefined;
    const language = texts.language === PSEUDO ? 'en' : texts.language;
    const own = texts.language === PSEUDO ? undefined : tenant.texts?.[language];
    const loadedAreas = new Set(texts.areas.split(' '));
    return {
      has: (requiredAreas: readonly Area[]) => requiredAreas.every((area) => loadedAreas.has(area)),
      t: translator(own ? { ...texts.messages, ...own } : texts.messages, language),
      language,
      setLanguage(next: string) {
        rememberLanguage(next);
        setChosenLanguage(next);
      },
    };
  }, [texts, tenant.texts]);
  // The previous texts stay until those of a new area or another language are loaded. But texts in the language that
  // was guessed before the tenant's was known are not shown at all.
  return chosenLanguage === undefined && texts?.language !== wantedLanguage ? undefined : words;
}

const NOTHING: TenantWords = {};

async function loadAll(areas: readonly Area[], language: string): Promise<Messages> {
  if (language === PSEUDO) {
    const { pseudo } = await import('./pseudo.ts');
    return pseudo(await loadAll(areas, LANGUAGES[0]));
  }
  const all = await Promise.all(areas.map((area) => loadMessages(area, language)));
  return Object.assign({}, ...all) as Messages;
}
