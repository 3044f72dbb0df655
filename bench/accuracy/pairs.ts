import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Two pictures, whether they show one person, and the tenth of the data that the pair belongs to. */
export type Pair = { readonly one: string; readonly other: string; readonly same: boolean; readonly fold: number };

const FOLDS = 10;
const PICTURE = /\.(jpe?g|png|webp)$/i;
/** The most pairs of each kind from a folder of persons: ten thousand pictures have fifty million pairs. */
const MAX_PAIRS_OF_A_KIND = 50_000;

/**
 * Reads the pairs of LFW. The first line has the number of folds, and the number of pairs of each kind in a fold. A line
 * `name n m` is two pictures of one person, and `name n name m` is two pictures of two persons.
 */
export function readPairs(file: string, folder: string): Pair[] {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  const [first = 0, second] = head.trim().split(/\s+/).map(Number);
  const perFold = second === undefined ? Math.ceil((first * 2) / FOLDS) : second * 2;
  return lines.map((line, at) => {
    const fold = Math.floor(at / perFold) % FOLDS;
    const [a = '', b = '', c = '', d] = line.trim().split(/\s+/);
    const one = pictureOf(folder, a, b);
    return d === undefined
      ? { one, other: pictureOf(folder, a, c), same: true, fold }
      : { one, other: pictureOf(folder, c, d), same: false, fold };
  });
}

function pictureOf(folder: string, person: string, number: string): string {
  const stem = join(folder, person, `${person}_${number.padStart(4, '0')}`);
  const picture = ['.jpg', '.jpeg', '.png', '.webp'].map((end) => `${stem}${end}`).find((path) => existsSync(path));
  if (!picture) throw new Error(`there is no picture ${stem}`);
  return picture;
}

/** One folder for each person, pictures inside. */
export function readPersons(folder: string): string[][] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => picturesIn(join(folder, name)))
    .filter((pictures) => pictures.length > 0);
}

export function picturesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => PICTURE.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** All pairs of one person, and pairs of two persons up to the maximum: first neighbours in the list, then those further apart. */
export function pairsOfPersons(persons: readonly (readonly string[])[]): Pair[] {
  const pairs: Pair[] = [];
  persons.forEach((pictures, person) => {
    for (const [at, one] of pictures.entries()) {
      for (const other of pictures.slice(at + 1)) {
        if (pairs.length < MAX_PAIRS_OF_A_KIND) pairs.push({ one, other, same: true, fold: person % FOLDS });
      }
    }
  });
  const wantedCount = Math.min(MAX_PAIRS_OF_A_KIND, Math.max(10 * pairs.length, 1000));
  const strangers: Pair[] = [];
  for (let apart = 1; apart < persons.length; apart += 1) {
    for (let person = 0; person + apart < persons.length; person += 1) {
      for (const [at, one] of (persons[person] as string[]).entries()) {
        const others = persons[person + apart] as string[];
        const other = others[at % others.length] as string;
        if (strangers.length < wantedCount) strangers.push({ one, other, same: false, fold: person % FOLDS });
      }
    }
  }
  return [...pairs, ...strangers];
}
