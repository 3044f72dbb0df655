import { useEffect, useMemo, useState } from 'preact/hooks';
import { rememberLanguage } from '../remember.ts';
import { firstLanguage, PSEUDO } from './first-language.ts';
import { directionOf, LANGUAGES } from './languages.ts';
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

/** What the tenant has to say about it: its language, and texts of its own for some of ours. */
export type TenantWords = {
  language?: string | undefined;
  texts?: Readonly<Record<string, Messages>> | undefined;
};

export function useMessages(areas: readonly Area[], tenant: TenantWords = NOTHING): Words | undefined {
  const [chosen, setChosen] = useState<string>();
  const [shown, setShown] = useState<{ language: string; areas: string; messages: Messages }>();
  const wanted = useMemo(() => chosen ?? firstLanguage(tenant.language), [chosen, tenant.language]);
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

  const words = useMemo(() => {
    if (!shown) return undefined;
    const language = shown.language === PSEUDO ? 'en' : shown.language;
    const own = shown.language === PSEUDO ? undefined : tenant.texts?.[language];
    const loaded = new Set(shown.areas.split(' '));
    return {
      has: (needed: readonly Area[]) => needed.every((area) => loaded.has(area)),
      t: translator(own ? { ...shown.messages, ...own } : shown.messages, language),
      language,
      setLanguage(next: string) {
        rememberLanguage(next);
        setChosen(next);
      },
    };
  }, [shown, tenant.texts]);
  // What was shown stays until the texts of a new area or of another language are there. But the language that was
  // guessed before the tenant's was known is not worth a glimpse.
  return chosen === undefined && shown?.language !== wanted ? undefined : words;
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
