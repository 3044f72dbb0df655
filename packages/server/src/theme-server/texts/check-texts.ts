import { JOURNEY_LANGUAGES } from '@grove/contract';
import type { FieldFault } from '../../kernel/errors.ts';
import { pointerTo } from '../../kernel/escape.ts';
import { type ReadText, readText } from './read-text.ts';

/** Checks whether the texts of a tenant can replace the built-in texts. */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;
/** Returns the built-in texts of one language, by key. */
export type TextsOf = (language: string) => Promise<ReadonlyMap<string, string>>;

/** All texts of a theme are sent with the first page of a journey. */
export const MAX_TEXTS_BYTES = 32 * 2 ** 10;
const MAX_FAULTS = 20;
/** Control characters and characters that change the writing direction: they are invisible and can mislead the reader. */
const UNSEEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export async function textFaults(texts: Texts, textsOf: TextsOf): Promise<FieldFault[]> {
  if (Buffer.byteLength(JSON.stringify(texts)) > MAX_TEXTS_BYTES) {
    return [{ pointer: '/texts', message: `must be at most ${MAX_TEXTS_BYTES} bytes together` }];
  }
  const faults: FieldFault[] = [];
  for (const [language, own] of Object.entries(texts)) {
    const languagePointer = pointerTo('/texts', language);
    if (!(JOURNEY_LANGUAGES as readonly string[]).includes(language)) {
      faults.push({ pointer: languagePointer, message: `must be one of ${JOURNEY_LANGUAGES.join(', ')}` });
      continue;
    }
    // Placeholders are the same in every language, so each text is compared with the built-in text of its own language.
    const ours = await textsOf(language);
    for (const [key, text] of Object.entries(own)) {
      const message = await faultOf(text, ours.get(key));
      if (message !== undefined) faults.push({ pointer: pointerTo(languagePointer, key), message });
      if (faults.length >= MAX_FAULTS) return faults;
    }
  }
  return faults;
}

async function faultOf(text: string, original: string | undefined): Promise<string | undefined> {
  if (original === undefined) return 'is no text of a journey';
  if (text.trim() === '') return 'must say something';
  if (/[<>]/.test(text) || UNSEEN.test(text)) return 'must be plain text, without <, > and invisible characters';
  let ownText: ReadText;
  try {
    ownText = await readText(text);
  } catch (error) {
    return `is not in ICU MessageFormat: ${(error as Error).message}`;
  }
  return differenceOf(ownText, await readText(original));
}

/**
 * Each text must have the same placeholders as the built-in text: a missing one hides information, and an unknown one
 * stays empty.
 */
function differenceOf(own: ReadText, ours: ReadText): string | undefined {
  if (own.fillsIn.join() !== ours.fillsIn.join()) {
    const names = ours.fillsIn.map((name) => `{${name}}`).join(', ');
    return `must fill in ${names || 'nothing'}, as ours does`;
  }
  for (const [name, how] of own.chooses) {
    if (ours.chooses.get(name) !== how) return `must not choose between forms by ${name}`;
  }
  return undefined;
}
