import { JOURNEY_LANGUAGES, Type } from '@grove/contract';

/** A text of the tenant: one for all languages, or one for each. The page falls back to English, then to the first. */
export type LocalText = string | Readonly<Record<string, string>>;

const LANGUAGE = '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$';
export const MAX_TEXT_LANGUAGES = 50;

/** The schema of such a text in a definition. */
export function localText(maxLength: number, description: string) {
  return Type.Unsafe<LocalText>({
    type: ['string', 'object'],
    minLength: 1,
    maxLength,
    minProperties: 1,
    maxProperties: MAX_TEXT_LANGUAGES,
    propertyNames: { pattern: LANGUAGE, maxLength: 35 },
    additionalProperties: { type: 'string', minLength: 1, maxLength },
    description: `${description}. One text, or a text by language: \`{"en": "…", "de": "…"}\``,
  });
}

const isLanguage = new RegExp(LANGUAGE);

export function isLocalText(value: unknown, maxLength: number): value is LocalText {
  if (typeof value === 'string') return value.length <= maxLength;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.length <= MAX_TEXT_LANGUAGES &&
    entries.every(
      ([language, text]) => isLanguage.test(language) && typeof text === 'string' && text.length <= maxLength,
    )
  );
}

export type MissingLanguages = { pointer: string; languages: string[] };

/** The languages of the journey that a text lacks; none for one text for all. */
export function missingLanguages(pointer: string, text: unknown): MissingLanguages[] {
  if (typeof text !== 'object' || text === null) return [];
  const languages = JOURNEY_LANGUAGES.filter((language) => !Object.hasOwn(text, language));
  return languages.length > 0 ? [{ pointer, languages }] : [];
}
