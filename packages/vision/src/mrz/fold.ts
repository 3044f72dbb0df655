import { likeliest, type Reading } from '../ocr/read-line.ts';
import { CHARACTERS, LOOK_ALIKES } from './alphabet.ts';

/**
 * A reading reduced to the characters of a machine readable zone: logarithms of probabilities, `WIDTH` per step, the
 * last of them «none». The probabilities of all other characters are dropped, and the rest is normalised again.
 */
export type MrzReading = {
  readonly steps: number;
  readonly logs: Float32Array;
  /** The share of read characters that no zone has: nearly none in a zone, most in other print. */
  readonly foreign: number;
};

export const WIDTH = CHARACTERS.length + 1;
export const NONE = CHARACTERS.length;

/** The least probability of a character: a wrong reader is usually very certain, so no character may be impossible. */
const FLOOR = 1e-5;

export function foldReading(reading: Reading, characters: readonly string[]): MrzReading {
  const sources = sourcesIn(characters);
  const logs = new Float32Array(reading.steps * WIDTH);
  const mass = new Float64Array(WIDTH);
  const own = new Set(sources.flat());
  let characterSteps = 0;
  let strange = 0;
  for (let step = 0; step < reading.steps; step += 1) {
    const from = step * reading.classes;
    let total = 0;
    sources.forEach((classes, k) => {
      let sum = FLOOR;
      for (const index of classes) sum += reading.data[from + index] as number;
      mass[k] = sum;
      total += sum;
    });
    const character = likeliest(reading.data, from, reading.classes);
    if (character !== 0) characterSteps += 1;
    if (!own.has(character)) strange += 1;
    for (let k = 0; k < WIDTH; k += 1) logs[step * WIDTH + k] = Math.log((mass[k] as number) / total);
  }
  return { steps: reading.steps, logs, foreign: characterSteps === 0 ? 1 : strange / characterSteps };
}

const cache = new WeakMap<readonly string[], number[][]>();

/** For each of our characters, and for «none» at the end, the matching outputs of the reader. */
function sourcesIn(characters: readonly string[]): number[][] {
  const cached = cache.get(characters);
  if (cached) return cached;
  const sources = [...CHARACTERS].map((character) => {
    const fullWidth = character === '<' ? '＜' : String.fromCodePoint(character.charCodeAt(0) + 0xfee0);
    const spellings = [character, fullWidth, ...(LOOK_ALIKES[character] ?? '')];
    return [...new Set(spellings)].map((each) => characters.indexOf(each)).filter((index) => index > 0);
  });
  sources.push([0, characters.length - 1]);
  cache.set(characters, sources);
  return sources;
}
