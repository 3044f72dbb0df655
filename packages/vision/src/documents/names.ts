import { SPELLINGS, transliterate } from '../mrz/transliterate.ts';
import { UNSURE } from '../ocr/rivals.ts';
import type { VisualLine } from './visual-field.ts';

/** Print that may be a name. Without `rivals`, any letter of it may be misread. */
export type PrintedName = Pick<VisualLine, 'text' | 'rivals'>;
/** `changed`: the name with another letter, which the reader saw clearly. */
export type NameAgreement = 'same' | 'changed' | 'other';

type PrintedLetter = { readonly letter: string; readonly rivals: string };
/** How a name differs: 1 for each letter that may be misread, and `CLEAR` for each that was read clearly. */
type Differences = number;
const CLEAR = 1000;
const NO_LETTER: PrintedLetter = { letter: '', rivals: '' };

/** One letter in this many may be misread or cut off. */
const LETTERS_PER_MISTAKE = 6;
/** Shorter names resemble others by chance. */
const MIN_LETTERS = 4;
const DIGITS_AS_LETTERS: Readonly<Record<string, string>> = { 0: 'O', 1: 'I', 2: 'Z', 5: 'S', 6: 'G', 8: 'B' };
const FOREIGN = /[^\x20-\x7e]/;
/** Stands for Þ, which a zone writes as TH and the reader takes for a P. */
const THORN = '*';

/** A line of print may hold both names with a comma between, one name in two spellings, or a label and a name. */
export function namesIn({ text, rivals }: PrintedName): PrintedName[] {
  const characters = Array.from(text);
  const marks = characters.flatMap((character, at) => (/[,/:]/.test(character) ? [at] : []));
  const parts = [-1, ...marks].map((mark, i) => {
    const [from, to] = [mark + 1, marks[i] ?? characters.length];
    return { text: characters.slice(from, to).join(''), ...(rivals && { rivals: rivals.slice(from, to) }) };
  });
  return parts.length > 1 ? [{ text, ...(rivals && { rivals }) }, ...parts] : parts;
}

export function sameName(print: string, zone: string): boolean {
  return compareName({ text: print }, zone) === 'same';
}

/**
 * Compares print with the name of a zone, in any spelling. A letter in six may differ, but only if the reader found the
 * letter of the zone possible, or was entirely unsure.
 */
export function compareName({ text, rivals }: PrintedName, zone: string): NameAgreement {
  const expected = transliterate(zone).replaceAll(' ', '');
  if (expected === '') return 'other';
  const isForeign = FOREIGN.test(text);
  // The spellings differ in foreign letters only.
  const all = SPELLINGS.slice(0, isForeign ? SPELLINGS.length : 1).flatMap((spelling) => {
    const letters = lettersOf({ text, ...(rivals && { rivals }) }, spelling);
    return [differencesOf(letters, expected), differencesOf(bareLetters(letters), bareZone(expected))];
  });
  const least = Math.min(...all);
  const [doubtful, clear] = [least % CLEAR, Math.floor(least / CLEAR)];
  const isLong = expected.length >= MIN_LETTERS;
  const usual = Math.floor(expected.length / LETTERS_PER_MISTAKE) + (isForeign ? 1 : 0);
  // A letter that was the reader's second choice is a mistake that a short name may have as well.
  const allowed = rivals && isLong ? Math.max(1, usual) : usual;
  if (clear === 0 && doubtful <= allowed) return 'same';
  // Print that stops before its name does is incomplete, so it shows neither this name nor another one.
  if (isBeginning(text, expected)) return 'other';
  return isLong && clear > 0 && clear + doubtful <= Math.max(1, usual) ? 'changed' : 'other';
}

function isBeginning(text: string, expected: string): boolean {
  return SPELLINGS.some((spelling) => expected.startsWith(transliterate(text, spelling).replaceAll(' ', '')));
}

function lettersOf({ text, rivals }: PrintedName, spelling: Readonly<Record<string, string>>): PrintedLetter[] {
  return Array.from(text).flatMap((character, at) => {
    const digit = DIGITS_AS_LETTERS[character];
    const isForeign = FOREIGN.test(character);
    const ownRivals = rivals ? (rivals[at] ?? '') : UNSURE;
    const others = [...ownRivals].map((each) => (each === UNSURE ? UNSURE : transliterate(each))).join('');
    return Array.from(digit ?? transliterate(character, spelling), (letter) => ({
      letter,
      rivals: others + (digit || isForeign ? UNSURE : '') + (letter === 'P' ? THORN : ''),
    }));
  });
}

const PAIRS = /([AOU])E|AA|TH/g;

/** The reader loses accents, so two letters of a zone, such as OE for Ø, are compared with one: O. */
function bareZone(name: string): string {
  return name.replace(PAIRS, (pair) => (pair === 'TH' ? THORN : (pair[0] as string)));
}

function bareLetters(letters: readonly PrintedLetter[]): PrintedLetter[] {
  const text = letters.map(({ letter }) => letter).join('');
  const bare: PrintedLetter[] = [];
  let from = 0;
  for (const { index, 0: pair } of text.matchAll(PAIRS)) {
    const [one, other] = [letters[index], letters[index + 1]] as [PrintedLetter, PrintedLetter];
    bare.push(...letters.slice(from, index), { letter: bareZone(pair), rivals: one.rivals + other.rivals });
    from = index + 2;
  }
  return [...bare, ...letters.slice(from)];
}

/** The fewest changes that turn print into the expected name; clear ones count first. */
function differencesOf(print: readonly PrintedLetter[], expected: string): Differences {
  const isDoubtful = (at: number, letter = UNSURE): boolean => {
    const { rivals } = print[at] ?? NO_LETTER;
    return rivals !== '' && (rivals.includes(UNSURE) || rivals.includes(letter));
  };
  // A letter that is not in print was lost before the next letter, or after the last.
  const isLost = (at: number, letter: string): boolean => isDoubtful(at, letter) || isDoubtful(at - 1, letter);
  const cost = (isDoubt: boolean): Differences => (isDoubt ? 1 : CLEAR);
  let row: Differences[] = [0];
  for (const letter of expected) row.push((row.at(-1) as Differences) + cost(isLost(0, letter)));
  for (const [i, { letter: printed }] of print.entries()) {
    const tooMuch = cost(isDoubtful(i));
    const next = [(row[0] as Differences) + tooMuch];
    for (let j = 0; j < expected.length; j += 1) {
      const letter = expected[j] as string;
      const changed = printed === letter ? 0 : cost(isDoubtful(i, letter));
      const withChange = (row[j] as Differences) + changed;
      const withoutPrint = (next[j] as Differences) + cost(isLost(i + 1, letter));
      next.push(Math.min(withChange, (row[j + 1] as Differences) + tooMuch, withoutPrint));
    }
    row = next;
  }
  return row.at(-1) as Differences;
}
