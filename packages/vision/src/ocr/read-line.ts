import type { Raster } from '../images/raster.ts';
import { resize } from '../images/warp.ts';
import { ocrModels, run } from './models.ts';
import { UNSURE } from './rivals.ts';

/** The output of the reader: for every step along a line, the probability of every character; 0 is «none». */
export type Reading = { readonly steps: number; readonly classes: number; readonly data: Float32Array };

export type Line = {
  readonly text: string;
  readonly confidence: number;
  /**
   * For each character of the text: the others that the reader found possible there, or lost right before it; `UNSURE`
   * if it could be any.
   */
  readonly rivals: readonly string[];
};

/** The reader's fixed height, and the number of pixels of one step. */
export const LINE_HEIGHT = 48;
export const STEP = 8;
const MIN_WIDTH = 48;
const MAX_WIDTH = 2400;
/** With fewer letters, their usual distance is unknown. */
const MIN_LETTERS = 5;
const WIDE_GAP = 1.7;
/** A less likely character is not possible. In genuine print, the right one is hardly ever less likely. */
const POSSIBLE = 0.02;
/** If even the likeliest character is less likely, it may be any. */
const CLEAR = 0.8;

/** Reads a strip with one line of upright text. `careful` takes longer, and reads some faint lines better. */
export async function readStrip(strip: Raster, { careful = false } = {}): Promise<Reading> {
  const idealWidth = Math.round((strip.width * LINE_HEIGHT) / strip.height / STEP) * STEP;
  const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, idealWidth));
  const { reader, carefulReader } = await ocrModels();
  const network = careful && carefulReader ? await carefulReader() : reader;
  const { data, dims } = await run(network, toInput(resize(strip, width, LINE_HEIGHT)), [1, 3, LINE_HEIGHT, width]);
  return { steps: dims[1] as number, classes: dims[2] as number, data };
}

/** The likeliest character at each step, without repeats and «none». */
export async function readText(strip: Raster): Promise<Line> {
  const { steps, classes, data } = await readStrip(strip);
  const { characters } = await ocrModels();
  const letters: Letter[] = [];
  let last = 0;
  let sum = 0;
  let lostLetters = '';
  for (let step = 0; step < steps; step += 1) {
    const from = step * classes;
    const best = likeliest(data, from, classes);
    const share = data[from + best] as number;
    const others = best === last && best !== 0 ? '' : possibleIn(data, from, best, characters);
    if (best === 0) lostLetters += others;
    else if (best !== last) {
      letters.push({
        character: characters[best] ?? '',
        step,
        rivals: lostLetters + others + (share < CLEAR ? UNSURE : ''),
      });
      sum += share;
      lostLetters = '';
    }
    last = best;
  }
  const spaced = withSpaces(letters, lostLetters);
  return {
    text: spaced.map(({ character }) => character).join(''),
    confidence: letters.length === 0 ? 0 : sum / letters.length,
    rivals: spaced.map(({ rivals }) => rivals),
  };
}

type Letter = { readonly character: string; readonly step: number; readonly rivals: string };

/** The other characters that the reader found possible at a step. */
function possibleIn(data: Float32Array, from: number, best: number, characters: readonly string[]): string {
  if ((data[from + best] as number) > 1 - POSSIBLE) return '';
  let others = '';
  for (let k = 1; k < characters.length; k += 1) {
    if ((data[from + k] as number) >= POSSIBLE && k !== best) others += characters[k];
  }
  return others;
}

/** The likeliest of `count` characters. */
export function likeliest(data: Float32Array, from: number, count: number): number {
  let best = 0;
  let most = data[from] as number;
  for (let k = 1; k < count; k += 1) {
    const share = data[from + k] as number;
    if (share > most) [best, most] = [k, share];
  }
  return best;
}

/** Restores lost spaces: a gap much wider than between letters is one. `lostLetters` came after the last letter. */
function withSpaces(letters: readonly Letter[], lostLetters: string): Pick<Letter, 'character' | 'rivals'>[] {
  const gaps = letters.slice(1).map(({ step }, i) => step - (letters[i]?.step ?? 0));
  const usual = [...gaps].sort((one, other) => one - other)[gaps.length >> 1] ?? 0;
  const isGap = (i: number): boolean => letters.length >= MIN_LETTERS && (gaps[i - 1] ?? 0) > WIDE_GAP * usual;
  const isLetter = (i: number): boolean => /\p{L}/u.test(letters[i]?.character ?? '');
  const space = { character: ' ', rivals: '' };
  const spaced = letters
    .flatMap((letter, i) => (i > 0 && isGap(i) && isLetter(i) && isLetter(i - 1) ? [space, letter] : [letter]))
    .filter(({ character }) => character !== '');
  const isBlank = ({ character }: Pick<Letter, 'character'>): boolean => character.trim() === '';
  const first = spaced.findIndex((each) => !isBlank(each));
  const end = spaced.findLastIndex((each) => !isBlank(each)) + 1;
  return first < 0
    ? []
    : spaced.slice(first, end).map(({ character, rivals }, i) => ({
        character,
        rivals: i === end - first - 1 ? rivals + lostLetters : rivals,
      }));
}

/** The part of a strip that is the input of the orientation network. */
export const TURNER_WIDTH = 192;

/** The probability that the strip is upside down, 0…1. */
export async function upsideDown(strip: Raster): Promise<number> {
  const { turner } = await ocrModels();
  const natural = Math.round((strip.width * LINE_HEIGHT) / strip.height);
  const width = Math.min(TURNER_WIDTH, natural);
  const source = width < natural ? cropLeft(strip, Math.floor((strip.width * width) / natural)) : strip;
  const small = resize(source, width, LINE_HEIGHT);
  const padded = new Uint8Array(TURNER_WIDTH * LINE_HEIGHT * 3).fill(127);
  for (let y = 0; y < LINE_HEIGHT; y += 1) {
    padded.set(small.data.subarray(y * width * 3, (y + 1) * width * 3), y * TURNER_WIDTH * 3);
  }
  const input = toInput({ width: TURNER_WIDTH, height: LINE_HEIGHT, data: padded });
  const { data } = await run(turner, input, [1, 3, LINE_HEIGHT, TURNER_WIDTH]);
  return data[1] ?? 0;
}

function cropLeft({ width, height, data }: Raster, keep: number): Raster {
  const cropped = new Uint8Array(keep * height * 3);
  for (let y = 0; y < height; y += 1) cropped.set(data.subarray(y * width * 3, (y * width + keep) * 3), y * keep * 3);
  return { width: keep, height, data: cropped };
}

function toInput({ width, height, data }: Raster): Float32Array {
  const pixels = width * height;
  const input = new Float32Array(pixels * 3);
  for (let plane = 0; plane < 3; plane += 1) {
    for (let i = 0; i < pixels; i += 1) {
      input[plane * pixels + i] = (data[i * 3 + 2 - plane] as number) / 127.5 - 1;
    }
  }
  return input;
}
