/** The languages of the app, and the choice among them. Pure. */
export const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'pt',
  'it',
  'pl',
  'ar',
  'nl',
  'sv',
  'da',
  'fi',
  'nb',
  'cs',
  'ro',
  'hu',
  'el',
  'tr',
  'uk',
  'zh-Hans',
] as const;
export type Language = (typeof LANGUAGES)[number];

/** The names of the languages in themselves. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  it: 'Italiano',
  pl: 'Polski',
  ar: 'العربية',
  nl: 'Nederlands',
  sv: 'Svenska',
  da: 'Dansk',
  fi: 'Suomi',
  nb: 'Norsk bokmål',
  cs: 'Čeština',
  ro: 'Română',
  hu: 'Magyar',
  el: 'Ελληνικά',
  tr: 'Türkçe',
  uk: 'Українська',
  'zh-Hans': '简体中文',
};

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar']);

export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}

/** People who read one of these read the other as well. */
export const LANGUAGE_ALIASES: Readonly<Record<string, Language>> = { no: 'nb', nn: 'nb', zh: 'zh-Hans' };

/** Maps `de-AT` to `de`; unknown languages are undefined. */
export function asLanguage(tag: string | null | undefined): Language | undefined {
  const primary = (tag ?? '').trim().toLowerCase().split(/[-_]/, 1)[0] ?? '';
  return LANGUAGES.find((each) => each === primary) ?? LANGUAGE_ALIASES[primary];
}

/** Chooses a language in this order: the link's, the one chosen before, the tenant's, the browser's. */
export function chooseLanguage(wishes: {
  link?: string | null;
  chosen?: string | null;
  tenant?: string | null | undefined;
  browser: readonly string[];
}): Language {
  for (const tag of [wishes.link, wishes.chosen, wishes.tenant, ...wishes.browser]) {
    const language = asLanguage(tag);
    if (language) return language;
  }
  return 'en';
}
