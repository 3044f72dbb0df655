import { transliterations } from './transliterate.ts';

/**
 * The Latin spellings that a document may have for a word of a name: those of ICAO 9303 part 3, section 6 (Latin and
 * Cyrillic letters; states differ in some), and ELOT 743 for Greek ones. Other scripts have none.
 */
export function latinSpellings(word: string): string[] {
  const lower = word.normalize('NFC').toLocaleLowerCase('en');
  const spellings = CYRILLIC.test(lower) ? cyrillic(lower) : GREEK.test(lower) ? greek(lower) : [word];
  return [...new Set(spellings.flatMap(transliterations).map((each) => each.replaceAll(' ', '')))].filter(Boolean);
}

const CYRILLIC = /\p{Script=Cyrillic}/u;
const GREEK = /\p{Script=Greek}/u;

type Letters = Readonly<Record<string, string>>;

/** Each letter in its first spelling; the other tables below replace some of them. */
const RUSSIAN: Letters = {
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  д: 'd',
  е: 'e',
  ё: 'e',
  ж: 'zh',
  з: 'z',
  и: 'i',
  й: 'i',
  к: 'k',
  л: 'l',
  м: 'm',
  н: 'n',
  о: 'o',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ф: 'f',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  щ: 'shch',
  ъ: 'ie',
  ы: 'y',
  ь: '',
  э: 'e',
  ю: 'iu',
  я: 'ia',
  і: 'i',
  ї: 'i',
  є: 'ie',
  ґ: 'g',
  ў: 'u',
  ѓ: 'g',
  ђ: 'd',
  ј: 'j',
  љ: 'lj',
  њ: 'nj',
  ќ: 'k',
  ћ: 'c',
  џ: 'dz',
  ѕ: 'dz',
  '’': '',
  "'": '',
};
/** Everyday spellings, and those of passports before 2013. */
const OLDER_RUSSIAN: Letters = { ...RUSSIAN, й: 'y', ъ: '', ю: 'yu', я: 'ya', ё: 'yo', ц: 'c' };
const UKRAINIAN: Letters = { ...RUSSIAN, г: 'h', и: 'y', щ: 'shch', й: 'i' };
const BULGARIAN: Letters = { ...OLDER_RUSSIAN, х: 'h', щ: 'sht', ъ: 'a', ь: 'y', ц: 'ts' };
const SERBIAN: Letters = { ...RUSSIAN, ж: 'z', х: 'h', ц: 'c', ч: 'c', ш: 's', й: 'j', ђ: 'dj' };
const TABLES: readonly Letters[] = [RUSSIAN, OLDER_RUSSIAN, UKRAINIAN, BULGARIAN, SERBIAN];

function cyrillic(word: string): string[] {
  return TABLES.map((letters) => Array.from(word, (letter) => letters[letter] ?? letter).join(''));
}

const GREEK_PAIRS: readonly (readonly [RegExp, string])[] = [
  [/ου/g, 'ou'],
  [/([αεη])υ(?=[βγδζλμνραεηιουω])/g, '$1v'],
  [/([αεη])υ/g, '$1f'],
  [/γγ/g, 'ng'],
  [/^μπ/, 'b'],
];
const GREEK_LETTERS: Letters = {
  α: 'a',
  β: 'v',
  γ: 'g',
  δ: 'd',
  ε: 'e',
  ζ: 'z',
  η: 'i',
  θ: 'th',
  ι: 'i',
  κ: 'k',
  λ: 'l',
  μ: 'm',
  ν: 'n',
  ξ: 'x',
  ο: 'o',
  π: 'p',
  ρ: 'r',
  σ: 's',
  ς: 's',
  τ: 't',
  υ: 'y',
  φ: 'f',
  χ: 'ch',
  ψ: 'ps',
  ω: 'o',
};

function greek(word: string): string[] {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '');
  const paired = GREEK_PAIRS.reduce((text, [pair, latin]) => text.replace(pair, latin), plain);
  return [Array.from(paired, (letter) => GREEK_LETTERS[letter] ?? letter).join('')];
}
