import { plain } from './template.ts';

/** Characters that readers confuse. */
const TWINS: Readonly<Record<string, string>> = {
  '0': 'ODQ',
  O: '0',
  D: '0',
  Q: '0',
  '1': 'I',
  I: '1',
  L: '1',
  '5': 'S',
  S: '5',
  '8': 'B',
  B: '8',
  '2': 'Z',
  Z: '2',
  '6': 'G',
  G: '6',
  '4': 'A',
  A: '4',
};
const MAX_CHANGES = 2;
const MAX_LENGTH = 24;

/**
 * Fits a text to one of the shapes of a number: unchanged, or with the fewest letters replaced by similar digits or the
 * other way round, if there is only one such way. Otherwise undefined: a wrong number is worse than none.
 */
export function fitNumber(text: string, shapes: readonly RegExp[]): string | undefined {
  const words = text.split(/\s+/);
  // The number may be followed by another field of the same line.
  for (let count = words.length; count > 0; count -= 1) {
    const candidate = plain(words.slice(0, count).join(''));
    if (candidate.length < 4 || candidate.length > MAX_LENGTH) continue;
    const isFit = (value: string): boolean => shapes.some((shape) => shape.test(value));
    let variants = new Set([candidate]);
    for (let changes = 0; changes <= MAX_CHANGES; changes += 1) {
      const fitting = [...variants].filter(isFit);
      if (fitting.length === 1) return fitting[0];
      if (fitting.length > 1) return undefined;
      variants = new Set([...variants].flatMap(changedOnce));
    }
  }
  return undefined;
}

function changedOnce(value: string): string[] {
  return [...value].flatMap((letter, at) =>
    [...(TWINS[letter] ?? '')].map((twin) => value.slice(0, at) + twin + value.slice(at + 1)),
  );
}
