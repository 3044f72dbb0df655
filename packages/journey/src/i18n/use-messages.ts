import { useEffect, useMemo, useState } from 'preact/hooks';
import { recallLanguage, rememberLanguage } from '../remember.ts';
import { chooseLanguage, directionOf, LANGUAGES } from './languages.ts';
import { type Area, loadMessages } from './load-messages.ts';
import { type Messages, type Translate, translator } from './translate.ts';

/** The language of the page and its texts. Whatever else happens on the page, changing the language loses nothing. */
export type Words = {
  t: Translate;
  language: string;
  setLanguage(language: string): void;
  /** Whether the texts of these areas are there. */
  has(areas: readonly Area[]): boolean;
};

/** A language for those who test; no end user comes to it by accident. */
const PSEUDO = 'xx';

export function useMessages(areas: readonly Area[]): Words | undefined {
  const [wanted, setWanted] = useState(firstLanguage);
  const [shown, setShown] = useState<{ language: string; areas: string; messages: Messages }>();
  const names = areas.join(' ');

  useEffect(() => {
    let current = true;
    loadAll(names.split(' ') as Area[], wanted).then(
      (messages) => current && setShown({ language: wanted, areas: names, messages }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [wanted, names]);

  useEffect(() => {
    if (!shown) return;
    const { documentElement } = document;
    documentElement.lang = shown.language === PSEUDO ? 'en' : shown.language;
    documentElement.dir = directionOf(shown.language);
  }, [shown]);

  return useMemo(() => {
    // Until the texts of a new area are there, what was shown stays.
    if (!shown) return undefined;
    const { language, messages } = shown;
    const loaded = new Set(shown.areas.split(' '));
    return {
      has: (needed: readonly Area[]) => needed.every((area) => loaded.has(area)),
      t: translator(messages, language === PSEUDO ? 'en' : language),
      language: language === PSEUDO ? 'en' : language,
      setLanguage(next: string) {
        rememberLanguage(next);
        setWanted(next);
      },
    };
  }, [shown]);
}

function firstLanguage(): string {
  const link = new URLSearchParams(location.search).get('lang');
  if (link === PSEUDO) return PSEUDO;
  return chooseLanguage({ link, chosen: recallLanguage(), browser: navigator.languages ?? [navigator.language] });
}

async function loadAll(areas: readonly Area[], language: string): Promise<Messages> {
  if (language === PSEUDO) {
    const { pseudo } = await import('./pseudo.ts');
    return pseudo(await loadAll(areas, LANGUAGES[0]));
  }
  const all = await Promise.all(areas.map((area) => loadMessages(area, language)));
  return Object.assign({}, ...all) as Messages;
}
