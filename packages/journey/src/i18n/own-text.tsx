/** A text of the tenant: one text, or a text for each language. */
export type LocalText = string | Readonly<Record<string, string>>;

/** The language used if a text lacks that of the page. A text without either is shown in its first language. */
const FALLBACK = 'en';
/** The BCP 47 tag of an undetermined language. */
const UNKNOWN = 'und';

/** The text and its language, which is undefined for a text without languages. */
export function pickText(text: LocalText, language: string): { text: string; language: string | undefined } {
  if (typeof text === 'string') return { text, language: undefined };
  const tag = [language, FALLBACK, ...Object.keys(text)].find((each) => Object.hasOwn(text, each)) ?? '';
  return { text: text[tag] ?? '', language: tag === UNKNOWN ? undefined : tag };
}

/** Marks the text with its language and direction (WCAG 3.1.2). */
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
