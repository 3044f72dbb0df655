import { median, variationOf } from './median.ts';
import { INKED_HEIGHT, PITCH } from './zone-glyphs.ts';
import type { CellPosition, Strip } from './zone-strip.ts';

/** The brightness of the paper in a character's cell, and above and below it, in red, green and blue. */
type CellPaper = { readonly digit: boolean; readonly index: number; readonly own: Light; readonly rim: Light };
type Light = readonly [red: number, green: number, blue: number];

/** Pixels darker than this share of the ink are not paper. */
const LIGHTEST_INK = 0.06;
/** With fewer pixels, the brightness of the paper is unknown. */
const MIN_PIXELS = 20;
/** The paper above and below a character, in pixels: from the end of correction fluid to where there is surely none. */
const [RIM_FROM, RIM_TO] = [5, 11];
/** A cell is compared with those up to this distance. */
const NEIGHBOURS = 6;
const MIN_NEIGHBOURS = 4;
/** A colour of the paper this bright is clipped. */
const CLIPPED = 250;
/** No colour may have less than this share of the common value: print behind a zone is coloured, fluid is white. */
const LEAST_SHARE = 0.5;

/** The paper behind a digit compared with that of its neighbours, as a share. */
export type PaperDifference = {
  /** How much brighter it is than theirs and than that above and below it, whichever is less; at least 0. */
  readonly brighter: number;
  /** The difference from theirs, in the colours that the light does not clip. */
  readonly difference: number;
};

export function paperDifferences(
  strip: Strip,
  positions: readonly CellPosition[],
  text: string,
): readonly PaperDifference[] {
  const cells = positions.flatMap((position, index): CellPaper[] => {
    const { own, rim } = papersAt(strip, position);
    return own && rim ? [{ digit: /\d/.test(text[index] as string), index, own, rim }] : [];
  });
  return cells
    .filter(({ digit }) => digit)
    .flatMap((cell) => {
      const near = cells.filter((other) => other !== cell && Math.abs(other.index - cell.index) <= NEIGHBOURS);
      return near.length < MIN_NEIGHBOURS ? [] : (differenceOf(cell, near) ?? []);
    });
}

/** Undefined if the light clips the paper in all colours, so that nothing can be whiter. */
function differenceOf({ own, rim }: CellPaper, near: readonly CellPaper[]): PaperDifference | undefined {
  const beside = own.map((light, k) => ({ light, usual: median(near.map((cell) => cell.own[k] as number)) }));
  const shares = beside.map(({ light, usual }) => light / usual - 1);
  const colours = [0, 1, 2].filter((k) => (beside[k]?.usual as number) < CLIPPED);
  if (colours.length === 0) return undefined;
  const unclipped = colours.map((k) => shares[k] as number);
  const fromRim = (cell: Pick<CellPaper, 'own' | 'rim'>): number =>
    mean(colours.map((k) => (cell.own[k] as number) / (cell.rim[k] as number)));
  const acrossRim = fromRim({ own, rim }) - median(near.map(fromRim));
  const difference = mean(unclipped);
  return { brighter: Math.max(0, Math.min(difference, acrossRim, Math.min(...unclipped) / LEAST_SHARE)), difference };
}

/** The least variation of any paper, as a share. */
const LEAST_VARIATION = 0.002;

/**
 * How much brighter the paper behind the second brightest digit is than usual, divided by the variation of this paper: the
 * same for the fifth digit, and what its pattern causes. To change a number together with its check digit takes two digits at least,
 * and a single bright place has other causes. Correction fluid is whiter than paper, unless the light clips both.
 */
export function paintedOver(differences: readonly PaperDifference[], usualPlace: number): number | undefined {
  if (differences.length <= usualPlace) return undefined;
  const brightest = differences.map(({ brighter }) => brighter).sort((one, other) => other - one);
  const pattern = variationOf(differences.map(({ difference }) => difference));
  return (brightest[1] as number) / ((brightest[usualPlace] as number) + pattern + LEAST_VARIATION);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function papersAt(strip: Strip, { x, y, scale }: CellPosition): { own: Light | undefined; rim: Light | undefined } {
  const [top, bottom] = [y - 1, y + INKED_HEIGHT * scale];
  return {
    own: paperIn(strip, x + 1, x + PITCH - 1, [[top, bottom]]),
    rim: paperIn(strip, x - 2, x + PITCH + 2, [
      [top - RIM_TO, top - RIM_FROM],
      [bottom + RIM_FROM, bottom + RIM_TO],
    ]),
  };
}

/** The mean of the brighter pixels of the paper in these columns and rows, away from the ink. */
function paperIn(
  { width, height, darkness, pixels }: Strip,
  left: number,
  right: number,
  rows: readonly (readonly [from: number, to: number])[],
): Light | undefined {
  const values: [number[], number[], number[]] = [[], [], []];
  for (const [from, to] of rows) {
    for (let row = Math.max(0, Math.round(from)); row < Math.min(height, Math.round(to)); row += 1) {
      for (let column = Math.max(0, left); column < Math.min(width, right); column += 1) {
        const at = row * width + column;
        if ((darkness[at] as number) > LIGHTEST_INK) continue;
        values.forEach((colour, k) => void colour.push(pixels.data[3 * at + k] as number));
      }
    }
  }
  return values[0].length < MIN_PIXELS ? undefined : [bright(values[0]), bright(values[1]), bright(values[2])];
}

/** Near ink paper is darker, and the brightest pixels are noise. */
const [DARKER, BRIGHTEST] = [0.4, 0.8];

function bright(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const count = sorted.length;
  return mean([...sorted.subarray(Math.floor(count * DARKER), Math.ceil(count * BRIGHTEST))]);
}
