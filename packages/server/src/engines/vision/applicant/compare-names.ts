import { latinSpellings } from '@grove/vision/light';
import { splitWords } from '../../../kernel/split-words.ts';

/** Compares the name that a relying party expects with the name on a document. Pure. */

export type Likeness = 'agrees' | 'similar' | 'differs' | 'notComparable';

export type ExpectedName = { readonly firstName?: string; readonly lastName?: string };

export type DocumentName = {
  readonly givenNames: string;
  readonly surname: string;
  /** The name as printed, if the print does not separate its parts. */
  readonly full?: string;
  /** The zone has no room for the whole name, so words at its end are cut or missing. */
  readonly isTruncated?: boolean;
};

export type NameLikeness = { firstName?: Likeness; lastName?: Likeness };

/** A word of a name in all spellings that a document may use. */
type Word = readonly string[];

const MAX_WORDS = 20;
const MAX_WORD_LENGTH = 60;

export function compareNames(expected: ExpectedName, document: DocumentName): NameLikeness {
  const first = wordsOf(expected.firstName);
  const last = wordsOf(expected.lastName);
  const { isTruncated = false, full } = document;
  const givenNames = wordsOf(full ?? document.givenNames);
  const surname = wordsOf(full ?? document.surname);
  const direct: NameLikeness = {
    ...(expected.firstName !== undefined && { firstName: comparePart(first, givenNames, isTruncated) }),
    ...(expected.lastName !== undefined && { lastName: comparePart(last, surname, isTruncated) }),
  };
  const agree: NameLikeness = { firstName: 'agrees', lastName: 'agrees' };
  if (full !== undefined) return isWhole([...first, ...last], givenNames) ? keysOf(direct, agree) : direct;
  if (Object.values(direct).every((likeness) => likeness === 'agrees')) return direct;
  if (first.length === 0 || last.length === 0 || givenNames.length === 0) return direct;
  const isSwapped = [comparePart(first, surname, isTruncated), comparePart(last, givenNames, isTruncated)].every(
    (likeness) => likeness === 'agrees',
  );
  const words = [...first, ...last];
  const holdsBoth = [givenNames, surname].every((part) => words.some((word) => isIn(word, part)));
  return isSwapped || (holdsBoth && isWhole(words, [...givenNames, ...surname])) ? agree : direct;
}

function keysOf(shape: NameLikeness, values: NameLikeness): NameLikeness {
  return Object.fromEntries(Object.keys(shape).map((key) => [key, values[key as keyof NameLikeness]]));
}

/** Whether each expected word is a separate word of the document, in any order. */
function isWhole(expected: readonly Word[], document: readonly Word[]): boolean {
  if (expected.filter((word) => !isParticle(word)).length < 2) return false;
  const left = [...document];
  return expected.every((word) => {
    const at = left.findIndex((each) => isSame(word, each));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Compares given names, or surnames. The document may have more of them than expected, in any order. */
function comparePart(expected: readonly Word[], document: readonly Word[], isTruncated: boolean): Likeness {
  if (expected.length === 0 || document.length === 0) return 'notComparable';
  if (isRunOf(expected, document)) return 'agrees';
  const [expectedWords, documentWords] = [withoutParticles(expected), withoutParticles(document)];
  const left = [...documentWords];
  const take = (fits: (word: Word) => boolean): boolean => {
    const at = left.findIndex(fits);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const whole = expectedWords.filter((word) => take((each) => isSame(word, each)));
  const others = expectedWords.filter((word) => !whole.includes(word));
  const last = documentWords.at(-1);
  const cut = isTruncated ? others.filter((word) => take((each) => each === last && isCutFrom(each, word))) : [];
  const rest = others.filter((word) => !cut.includes(word));
  const initials = rest.filter((word) => take((each) => isInitialOf(word, each) || isInitialOf(each, word)));
  const missing = rest.filter((word) => !initials.includes(word));
  const near = missing.filter((word) => take((each) => isNear(word, each)));
  const absent = missing.filter((word) => !near.includes(word));
  const firm = whole.length + cut.length;
  // A word counts as left out only if the document has no other word in its place.
  const isExplained = absent.every((word) => left.length === 0 && (isTruncated || isPatronymic(word)));
  if (firm > 0 && near.length === 0 && isExplained) return 'agrees';
  return firm + initials.length + near.length > 0 ? 'similar' : 'differs';
}

/** Ignores what divides words: "Mac Donald" and "MACDONALD" are equal, as are "Anna-Maria" and "ANNAMARIA". */
function isRunOf(expected: readonly Word[], document: readonly Word[]): boolean {
  const expectedSpellings = joinedSpellings(expected);
  // A particle alone is not a name, unless the document has nothing else.
  if (expected.every(isParticle) && !document.every(isParticle)) return false;
  for (let from = 0; from < document.length; from++) {
    for (let to = from + 1; to <= document.length; to++) {
      if (joinedSpellings(document.slice(from, to)).some((each) => expectedSpellings.includes(each))) return true;
    }
  }
  return false;
}

function joinedSpellings(words: readonly Word[]): string[] {
  const most = Math.max(0, ...words.map(({ length }) => length));
  return Array.from({ length: most }, (_, at) => words.map((word) => word[at] ?? word[0]).join(''));
}

function isSame(one: Word, other: Word): boolean {
  return one.some((spelling) => other.includes(spelling));
}

function isIn(word: Word, words: readonly Word[]): boolean {
  return words.some((each) => isSame(word, each));
}

function isCutFrom(cut: Word, word: Word): boolean {
  return cut.some((beginning) => word.some((spelling) => spelling.startsWith(beginning)));
}

function isInitialOf(initial: Word, word: Word): boolean {
  return initial.some((letter) => letter.length === 1 && word.some((spelling) => spelling.startsWith(letter)));
}

/** One letter in four may differ, be missing or be added, by a typing error, a misreading or a feminine ending. */
function isNear(one: Word, other: Word): boolean {
  return one.some((a) =>
    other.some((b) => Math.min(a.length, b.length) >= 3 && distance(a, b) <= Math.max(a.length, b.length) / 4),
  );
}

function distance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const now = [row];
    for (let at = 1; at <= other.length; at++) {
      const changed = (before[at - 1] as number) + (one[row - 1] === other[at - 1] ? 0 : 1);
      now.push(Math.min(changed, (before[at] as number) + 1, (now[at - 1] as number) + 1));
    }
    before = now;
  }
  return before[other.length] as number;
}

/** Particles of noble, Dutch, Spanish, Arabic and other names. Some documents have them before the surname, some omit them. */
const PARTICLES: ReadonlySet<string> = new Set(
  splitWords(`
  VAN VON VOM DER DEN DE DEL DELA DELLA DI DA DO DOS DAS DU DES LA LE LAS LOS TER TEN TE ZU ZUR ZUM AF AV UND
  AND EL AL BIN BINT IBN BEN ABU BINTI OF OGLU OGLY KIZI QIZI KYZY GYZY
`),
);

function isParticle(word: Word): boolean {
  return word.some((spelling) => PARTICLES.has(spelling));
}

function withoutParticles(words: readonly Word[]): readonly Word[] {
  const rest = words.filter((word) => !isParticle(word));
  return rest.length > 0 ? rest : words;
}

const PATRONYMIC = /.(OVICH|EVICH|YOVYCH|OVYCH|YEVYCH|EVYCH|ILICH|YCH|OVNA|EVNA|IVNA|YIVNA|ICHNA|INICHNA|OGLU|OGLY)$/;

/** Many documents omit the patronymic. */
function isPatronymic(word: Word): boolean {
  return word.some((spelling) => PATRONYMIC.test(spelling));
}

function wordsOf(name: string | undefined): Word[] {
  const parts = (name ?? '').split(/[\s,;/<·‐‑‒–—-]+/u).slice(0, MAX_WORDS);
  return parts.map((part) => latinSpellings(part.slice(0, MAX_WORD_LENGTH))).filter(({ length }) => length > 0);
}
