/** Letters that ICAO 9303 part 3, section 6.A, replaces by others. All other letters lose their marks. */
const LETTERS: Readonly<Record<string, string>> = {
  Ä: 'AE',
  Å: 'AA',
  Æ: 'AE',
  Ð: 'D',
  Đ: 'D',
  Ħ: 'H',
  ı: 'I',
  İ: 'I',
  Ĳ: 'IJ',
  ĸ: 'Q',
  Ł: 'L',
  Ŀ: 'L',
  Ŋ: 'N',
  ŉ: 'N',
  Ñ: 'N',
  Ö: 'OE',
  Ø: 'OE',
  Œ: 'OE',
  ẞ: 'SS',
  ß: 'SS',
  Þ: 'TH',
  Ŧ: 'T',
  Ü: 'UE',
  Ə: 'E',
};

/** The table allows a second spelling for these, and states differ in which they use. */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = { Ä: 'A', Å: 'A', Ö: 'O', Ø: 'O', Ü: 'U', Ñ: 'NXX' };

/** A name in the letters of a machine readable zone: A to Z, words divided by one space. */
export function transliterate(name: string, spellings: Readonly<Record<string, string>> = LETTERS): string {
  if (/^[A-Z]+$/.test(name)) return name;
  const upper = name.normalize('NFC').replaceAll('ß', 'ẞ').toLocaleUpperCase('en');
  return Array.from(
    upper,
    (letter) => spellings[letter] ?? LETTERS[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, ''),
  )
    .join('')
    .replace(/['’`.]/g, '')
    .replace(/[^A-Z]+/g, ' ')
    .trim();
}

/** The tables by which a zone may write a name. */
export const SPELLINGS: readonly Readonly<Record<string, string>>[] = [
  LETTERS,
  { ...LETTERS, ...OTHER_SPELLINGS },
  { ...LETTERS, ...OTHER_SPELLINGS, Ñ: 'N' },
];

/** Every way in which a zone may write a name. */
export function transliterations(name: string): string[] {
  return [...new Set(SPELLINGS.map((spelling) => transliterate(name, spelling)))];
}
