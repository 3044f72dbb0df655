/** Words of the tenant: one text, or a text for each language. */
export type LocalText = string | Readonly<Record<string, string>>;

/** Where a text is not there in the language of the page, and English is not either, the first one is better than none. */
const FALLBACK = 'en';
/** As BCP 47 calls a language that nobody has named. */
const UNKNOWN = 'und';

/** The text and the language it is in; a text without languages may be in any. */
export function pickText(text: LocalText, language: string): { text: string; language: string | undefined } {
  if (typeof text === 'string') return { text, language: undefined };
  const tag = [language, FALLBACK, ...Object.keys(text)].find((each) => Object.hasOwn(text, each)) ?? '';
  return { text: text[tag] ?? '', language: tag === UNKNOWN ? undefined : tag };
}

/** Says in which language it is and lets it run in its own direction (WCAG 3.1.2). */
export function OwnText({ text, language }: { text: LocalText; language: string }) {
  const ownText = pickText(text, language);
  return (
    <span
      dir="auto"
      {...(ownText.language !== undefined && ownText.language !== language && { lang: ownText.language })}
    >
      {ownText.text}
    </span>
  );
}
